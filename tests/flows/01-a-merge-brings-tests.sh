# A merge brings tests, and the other branch removed an obsolete one before the task began.
project
git checkout -qb feature
printf "test('multiplies', () => {\n  expect(mul(2, 2)).toBe(4);\n});\n" >test/mul.test.js
commit 'add a test'
git checkout -q main
prompt 'merge feature'
git merge -q --no-edit feature
stop
