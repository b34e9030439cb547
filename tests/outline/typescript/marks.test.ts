/* eslint-disable @typescript-eslint/no-explicit-any */
import { describe, expect, it, test, vi } from 'vitest'
import { parse, type Options } from '../src/parse'

interface Case {
  text: string
}

const cases = [{ text: 'a' }, { text: 'b' }] as const
const rows: Case[] = [{ text: 'c' }]

enum Color {
  Red,
}

export class Runner<T extends Case> {
  constructor(private readonly options: Options) {}

  check(value: T): asserts value is T {
    expect(value.text).toMatch(/[a-z]/)
  }
}

describe('parse', () => {
  it.each(cases)('parses $text', ({ text }: Case) => {
    expect(parse(text)).toEqual<Options>({ text })
  })
  it.for([
    ['a', 1],
    ['b', 2],
  ] as const)('counts %s', ([text, count]) => {
    expect(parse(text as any).count).toBe(count)
  })
  it.skipIf(process.env.CI)('not in CI', () => {
    expect(parse('x')!).toBeDefined()
  })
  it.runIf(process.env.CI)('only in CI', () => {
    expect(parse('x')).toSatisfy((value: Options) => value.count > 0)
  })
  it.fails('fails', async () => {
    await expect(parse('x')).resolves.toBe(1)
  })
  test.fixme('fix me', async () => {})
  it('has suppressions', () => {
    // @ts-expect-error the argument is missing
    expect(() => parse()).toThrowError('text')
    // eslint-disable-next-line no-console, no-alert -- for now
    console.log(parse('x'))
    debugger
    const spy = vi.fn() // eslint-disable-line
    expect(spy).not.toHaveBeenCalled()
  })
  // TODO: the other colors
  /* c8 ignore next 3 */
  test('color', ({ skip }) => {
    expect(Color.Red).toBe(0)
  })
})

test.describe('playwright', () => {
  test.skip(({ browserName }) => browserName === 'webkit', 'not there')
  test('opens', async ({ page }) => {
    test.fixme()
    await expect(page).toHaveURL('/')
  })
  test.describe.only('focused suite', () => {
    test('inside', async ({ page }) => {
      await expect(page.locator('h1')).toHaveText('Hi')
    })
  })
})
