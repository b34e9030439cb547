<?php

namespace App\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhp;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Every way in which PHPUnit's tests are marked.
 */
final class MarksTest extends TestCase
{
    public function testPlain(): void
    {
        $this->assertSame(2, add(1, 1));
    }

    public function testSkipped(): void
    {
        $this->markTestSkipped('flaky');
        $this->assertSame(2, add(1, 1));
    }

    public function testIncomplete(): void
    {
        self::markTestIncomplete();
    }

    public function testSkippedUnderCondition(): void
    {
        if (!extension_loaded('intl')) {
            $this->markTestSkipped('no intl');
        }
        $this->assertSame(2, add(1, 1));
    }

    public function testSkippedInOneLine(): void
    {
        PHP_OS === 'Linux' || $this->markTestSkipped('not here');
        $this->assertSame(2, add(1, 1));
    }

    public function testSkippedByError(): void
    {
        throw new \PHPUnit\Framework\SkippedWithMessageException('later');
    }

    /**
     * @requires PHP >= 8.3
     */
    public function testRequires(): void
    {
        $this->assertSame(2, add(1, 1));
    }

    #[RequiresPhp('>= 8.3')]
    public function testRequiresByAttribute(): void
    {
        $this->assertSame(2, add(1, 1));
    }

    /**
     * @test
     * @dataProvider rows
     */
    public function itAdds(int $a, int $b): void
    {
        $this->assertSame($b, add($a, 1));
    }

    #[Test]
    #[DataProvider('rows')]
    public function adds(int $a, int $b): void
    {
        $this->assertSame($b, add($a, 1));
    }

    #[TestWith([1, 2])]
    #[TestWith([2, 3])]
    public function testWithRows(int $a, int $b): void
    {
        $this->assertSame($b, add($a, 1));
    }

    public static function rows(): array
    {
        return [
            'one' => [1, 2],
            [2, 3],
            [3, 4],
        ];
    }

    private function helper(): void
    {
        $this->assertTrue(true === false);
    }
}

class SkippedBySetUpTest extends TestCase
{
    protected function setUp(): void
    {
        if (PHP_OS === 'Windows') {
            $this->markTestSkipped('no fork');
        }
    }

    public function testOne(): void
    {
        $this->assertSame(2, add(1, 1));
    }
}

class Connection
{
    public function testConnection(): bool
    {
        return true;
    }
}
