// Plain names: names.test.js.txt has what jest and vitest printed.
const other = it

describe('outer', () => {
  it('first', () => {})
  it("second: \"quoted\"", () => {})
  it(`third`, () => {})
  describe('inner', () => {
    it('fourth', function () {})
    describe('deep', () => {
      it.skip('fifth', () => {})
    })
  })
  other('sixth', () => {})
})

describe.skip('skipped', () => {
  it('seventh', () => {})
})

it('top level', async () => {
  const items = ['it("no test")', `describe("no suite", () => {})`]
  // it('no test either', () => {})
  expect(items.filter((it) => it.length)).toHaveLength(2)
})
