<?php

use PHPUnit\Framework\TestCase;

final class NamesTest extends TestCase
{
    public function testAdds(): void
    {
        $this->assertSame(3, 1 + 2);
    }

    /** @test */
    public function it_is_annotated(): void
    {
        $this->assertSame(3, 1 + 2);
    }

    /**
     * Adds more.
     *
     * @test
     */
    public function alsoAnnotated(): void
    {
        $this->assertSame(3, 1 + 2);
    }

    public function helper(): int
    {
        return 1;
    }

    // public function testInAComment(): void {}
    const TEXT = 'public function testInAString(): void {}';
}
