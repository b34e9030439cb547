// What jest runs.
const { add, clamp } = require('../src/math')
const table = [
  [1, 2, 3],
  [2, 2, 4],
]
const cond = process.env.DB ? describe : describe.skip
const gone = it.skip
const store = () => true

/** Checks one sum. */
function checkSum(a, b, sum) {
  expect(add(a, b)).toBe(sum)
}

const checkAll = (rows) => rows.forEach(([a, b, sum]) => checkSum(a, b, sum))

describe('add', () => {
  beforeEach(() => {
    expect(add).toBeDefined()
  })

  it('adds', () => {
    expect(add(1, 2)).toBe(3)
    expect(add(1, 2)).not.toBe(4)
    checkSum(1, 1, 2)
  })

  it('rejects', async () => {
    expect.assertions(1)
    await expect(add('x')).rejects.toThrow(/number/)
  })

  it.each(table)('adds %d and %d', (a, b, sum) => {
    expect(add(a, b)).toEqual(sum)
  })

  it.each`
    a    | b
    ${1} | ${2}
  `('adds $a and $b', ({ a, b }) => {
    expect(add(a, b)).toBeGreaterThan(0)
  })

  test.each([{ a: 1 }, { a: 2 }, { a: 3 }])('row $a', ({ a }) => {
    expect(clamp(a)).toBeCloseTo(a, 5)
  })

  it.only('is focused', () => {
    expect(add(0, 0)).toBe(0)
  })

  fit('is focused, too', () => expect(add(0, 0)).toBe(0))

  it('has a snapshot', () => {
    expect(add(1, 1)).toMatchInlineSnapshot(`2`)
  })
})

describe.skip('clamp', () => {
  it('clamps', () => {
    expect(clamp(3, 0, 2)).toBe(2)
  })
  describe('inner', () => {
    it('clamps, too', () => {
      expect(clamp(-3, 0, 2)).toBe(0)
    })
  })
})

describe('marks', () => {
  xit('x-prefixed', () => {
    expect(1 + 1).toBe(2)
  })
  it.skip('skipped', () => {})
  test.skip(`a template`, () => {})
  it.todo('write this')
  test.failing('known bug', () => {
    expect(add(1, 1)).toBe(3)
  })
  it.concurrent.skip('both', async () => {})
  gone('by another name', () => {
    expect(add(1, 1)).toBe(2)
  })
  xdescribe('x suite', () => {
    it('inside', () => {})
  })
  describe.each([['a'], ['b']])('suite %s', (name) => {
    it('in a table of suites', () => {
      expect(name).toHaveLength(1)
    })
  })
  it.skip.each(table)('skipped table', () => {})
  it('title of ' + add.name, () => {
    expect(add.name).toBe('add')
  })
})

cond('with a database', () => {
  it('stores', () => {
    expect(store()).toBeTruthy()
  })
})

describe('nothing is asserted', () => {
  it('is empty', () => {})
  it('compares constants', () => {
    expect(true).toBe(true)
  })
  it('compares a thing with itself', () => {
    expect(add(1, 2)).toBe(add(1, 2))
  })
  it('has no matcher', () => {
    expect(add(1, 2))
  })
  it('returns first', () => {
    return
    expect(add(1, 2)).toBe(3)
  })
  it('never runs it', () => {
    if (false) {
      expect(add(1, 2)).toBe(3)
    }
  })
  it('swallows', () => {
    try {
      expect(add(1, 2)).toBe(3)
    } catch (e) {}
  })
  it('rethrows', () => {
    try {
      expect(add(1, 2)).toBe(3)
    } catch (e) {
      throw e
    }
  })
  if (false) {
    it('is in dead code', () => {
      expect(add(1, 2)).toBe(3)
    })
  }
  it('swallows a promise', async () => {
    await expect(add(1)).resolves.toBe(1).catch(() => {})
  })
})

describe('loops', () => {
  for (const [a, b, sum] of table) {
    it(`adds ${a} and ${b}`, () => {
      expect(add(a, b)).toBe(sum)
    })
  }
  ;['x', 'y', 'z'].forEach((name) => {
    it(name, function () {
      expect(add(name)).toBe(name)
    }, 1000)
  })
})
