<?php

use PHPUnit\Framework\TestCase;

class AssertsTest extends TestCase
{
    public function testStrengths(): void
    {
        $this->assertSame('x', $got);
        $this->assertEquals('x', $got, 'message');
        self::assertNotSame('x', $got);
        static::assertTrue($got);
        $this->assertTrue($got === 'x');
        $this->assertTrue(count($got) > 1);
        $this->assertNull($got);
        $this->assertNotNull($got);
        $this->assertInstanceOf(Foo::class, $got);
        $this->assertCount(2, $got);
        $this->assertContains('x', $got);
        $this->assertStringContainsString('x', $got);
        $this->assertArrayHasKey('x', $got);
        $this->assertGreaterThan(2, $got);
        $this->expectException(BadValue::class);
        $this->expectExceptionMessage('bad');
        $mock->expects($this->once())->method('send');
        $double->shouldReceive('send')->once();
        $response->assertStatus(200)->assertSee('x');
        assertSame('x', $got);
        $this->fail('not reached');
    }

    public function testNothing(): void
    {
        $this->assertTrue(true);
        self::assertTrue(true);
        $this->assertSame(1, 1);
        $this->assertEquals($got, $got);
        $this->expectNotToPerformAssertions();
    }

    public function testReturnsFirst(): void
    {
        return;
        $this->assertSame('x', $got);
    }

    public function testDead(): void
    {
        if (false) {
            $this->assertSame(1, $got);
        }
        if (true) {
            $this->assertSame(2, $got);
        } else {
            $this->assertSame(3, $got);
        }
        $later = function () {
            $this->assertSame(4, $got);
        };
    }

    public function testSwallowed(): void
    {
        try {
            $this->assertSame(1, $got);
        } catch (\Throwable $e) {
        }
        try {
            $this->assertSame(2, $got);
        } catch (\InvalidArgumentException $e) {
        }
        try {
            $this->assertSame(3, $got);
        } catch (\Exception $e) {
            throw $e;
        }
    }

    public function testEmpty(): void
    {
    }
}
