# A test file is split in two.
project
prompt 'split the tests of add'
printf "test('multiplies', () => {\n  expect(mul(1, 2)).toBe(2);\n});\n" >test/mul.test.js
cat test/sub.test.js >>test/mul.test.js
git rm -q test/sub.test.js
stop
