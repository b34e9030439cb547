# A commit is picked from another branch.
project
git checkout -qb hotfix
echo 'export const fix = 1;' >src/fix.js
printf "test('fix', () => {\n  expect(fix).toBe(1);\n});\n" >test/fix.test.js
commit fix
git checkout -q main
prompt 'pick the fix'
git cherry-pick hotfix >/dev/null
stop
