// What mocha runs, with its two interfaces and chai.
const { expect } = require('chai')

describe('a list', function () {
  this.timeout(500)

  before(function () {
    if (!process.env.DATABASE) this.skip()
  })

  it('is announced')

  it('has entries', function (done) {
    load((error, list) => {
      try {
        expect(error).to.be.null
        expect(list).to.have.length.above(1)
        done()
      } catch (failure) {
        done(failure)
      }
    })
  })

  context('when it is empty', () => {
    specify('has none', () => {
      expect([]).to.be.empty
      expect([]).to.deep.equal([])
    })
    xspecify('is null', () => {})
  })
})

suite('another interface', () => {
  setup(() => {})
  test('works', () => {
    assert.isTrue(works())
    assert.strictEqual(works(), true, 'it works')
  })
  test.skip('does not run')
})

function skipUnless(condition) {
  if (!condition) this.skip()
}
