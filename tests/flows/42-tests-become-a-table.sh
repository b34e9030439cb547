# Three tests become one table of three rows.
project
printf "test('a', () => { expect(add(1, 1)).toBe(2); });\ntest('b', () => { expect(add(2, 2)).toBe(4); });\ntest('c', () => { expect(add(3, 3)).toBe(6); });\n" >test/add.test.js
commit tests
prompt 'make a table of the tests'
printf "test.each([\n  ['a', 1, 2],\n  ['b', 2, 4],\n  ['c', 3, 6],\n])('%%s', (name, x, sum) => {\n  expect(add(x, x)).toBe(sum);\n});\n" >test/add.test.js
stop
