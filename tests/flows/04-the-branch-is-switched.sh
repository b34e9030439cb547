# The task goes on on an older branch, which has fewer tests and an older DONE.md.
project
git branch old
printf "test('multiplies', () => {});\n" >test/mul.test.js
echo 'More words.' >>DONE.md
commit 'more tests'
prompt 'go on on branch old'
git checkout -q old
echo '// old' >>src/add.js
stop
