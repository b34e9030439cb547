<?php

beforeEach(function () {
    $this->value = 3;
});

it('adds', function () {
    expect(add(1, 1))->toBe(2);
});

test('is skipped', function () {
    expect(add(1, 1))->toBe(2);
})->skip();

test('is skipped with a reason', function () {
    expect(add(1, 1))->toBe(2);
})->skip('flaky')->group('slow');

test('is skipped under a condition', function () {
    expect(add(1, 1))->toBe(2);
})->skip(PHP_OS === 'Windows', 'no fork');

test('is skipped on windows', function () {
    expect(add(1, 1))->toBe(2);
})->skipOnWindows();

test('is skipped by a call', function () {
    if (PHP_OS === 'Windows') {
        $this->markTestSkipped('no fork');
    }
    expect(add(1, 1))->toBe(2);
});

it('is announced')->todo();

todo('is announced, too');

it('is focused', fn () => expect(add(1, 1))->toBe(2))->only();

it('may fail', function () {
    expect(add(1, 1))->toBe(3);
})->fails();

it('has rows', function (int $a, int $b) {
    expect(add($a, 1))->toEqual($b);
})->with([
    [1, 2],
    'two' => [2, 3],
]);

it('throws', function () {
    parse('');
})->throws(BadValue::class);

describe('strengths', function () {
    it('chains', function () {
        expect($got)->toBe('x')->and($other)->toBeTrue();
        expect($got)->not->toBeNull();
        expect($got)->toHaveCount(2);
        expect($got)->toContain('x');
        expect($got)->toBeInstanceOf(Foo::class);
        expect(true)->toBeTrue();
        expect($got);
    });
});

describe('off', function () {
    it('is in a skipped suite', function () {
        expect(add(1, 1))->toBe(2);
    });
})->skip();
