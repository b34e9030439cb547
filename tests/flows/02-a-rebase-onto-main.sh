# A branch is rebased onto a base that changed a test before the task began.
project
git checkout -qb feature
echo 'export const sub = (a, b) => a - b;' >src/sub.js
commit 'add sub'
git checkout -q main
sed -i 's/toBe(3)/toEqual(3)/' test/add.test.js
commit 'another matcher'
git checkout -q feature
prompt 'rebase onto main'
git rebase -q main 2>/dev/null
stop
