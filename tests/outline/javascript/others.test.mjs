// What node:test, ava, tape, chai, supertest and sinon offer.
import test, { describe as group, it, before } from 'node:test'
import assert from 'node:assert/strict'
import { test as playwright } from '@playwright/test'

before(() => {
  assert.ok(process.version)
})

test('adds', (t) => {
  assert.equal(add(1, 2), 3)
  assert.deepStrictEqual(list(), [1, 2])
  assert.throws(() => add('x'), TypeError)
  assert(add(1, 1))
})

test('skipped by an option', { skip: true }, () => {
  assert.equal(1, add(1))
})
test('skipped with a reason', { skip: 'not on this system' }, () => {})
test('skipped on a condition', { skip: process.platform === 'win32' }, () => {})
test('may fail', { todo: true }, () => {})
test('focused', { only: true }, () => {})
test('skips itself', (t) => {
  t.skip('later')
})
test('skips itself on a condition', (t) => {
  if (!process.env.NETWORK) {
    t.skip()
    return
  }
  assert.equal(fetchIt(), 'x')
})
test.skip('skipped', () => {})
test.todo('to do')

test('has subtests', async (t) => {
  await t.test('first', () => {
    assert.match(name(), /x/)
  })
  await t.test('second', (t) => {
    t.assert.strictEqual(name(), 'x')
  })
})

group('a suite', { concurrency: true }, () => {
  it('is in a suite', () => {
    assert.notEqual(add(1), 2)
  })
})

group.skip('a skipped suite', () => {
  it('does not run', () => {
    assert.ok(add(1))
  })
})

test('chai', () => {
  expect(add(1, 2)).to.equal(3)
  expect(list()).to.be.an('array').that.includes(2)
  expect(list()).to.have.lengthOf(2)
  expect(add).to.not.throw()
  expect(flag()).to.be.true
  add(1, 2).should.equal(3)
  list().should.be.an('array')
})

test('http', async () => {
  await request(app).get('/').expect(200).expect('Content-Type', /json/)
  sinon.assert.calledOnce(spy)
})

playwright('page', async ({ page }) => {
  await expect(page.getByRole('button')).toBeVisible()
  await expect.soft(page).toHaveTitle('Home')
  playwright.skip(browserName === 'webkit', 'no')
})
