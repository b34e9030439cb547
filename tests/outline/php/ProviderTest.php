<?php

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class ProviderTest extends TestCase
{
    #[DataProvider('sums')]
    public function testAdds(int $a, int $b, int $sum): void
    {
        self::assertSame($sum, add($a, $b));
    }

    public static function sums(): iterable
    {
        yield 'zero' => [0, 0, 0];
        yield 'small' => [1, 2, 3];
    }

    public function testAssertsNothing(): void
    {
        $this->expectNotToPerformAssertions();
        add(1, 2);
    }

    private function testIsPrivate(): void
    {
        self::assertSame(1, add(1, 0));
    }
}
