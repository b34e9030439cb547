<?php

class Suppressions
{
    /** @psalm-suppress MixedReturnStatement */
    public function a()
    {
        // @phpstan-ignore-next-line
        $x = b(); // phpcs:ignore Squiz.PHP.Eval
        $y = c(); // @phpstan-ignore argument.type
        var_dump($x);
        dd($y);
        // TODO: remove
        return $x;
    }

    /**
     * @SuppressWarnings(PHPMD.UnusedLocalVariable)
     * @codeCoverageIgnore
     */
    public function d()
    {
        // phpcs:disable Generic.Files.LineLength
        print_r("TODO in a text is none");
    }
}
