# Both sides added a test at the same place; the resolution keeps both.
project
git checkout -qb feature
printf "test('a', () => {\n  expect(1).toBe(1);\n});\n" >>test/add.test.js
commit a
git checkout -q main
printf "test('b', () => {\n  expect(2).toBe(2);\n});\n" >>test/add.test.js
commit b
prompt 'merge feature'
git merge feature >/dev/null 2>&1
sed -i 's/^=======$/});/; /^<<<<<<<\|^>>>>>>>/d' test/add.test.js
commit merged
stop
