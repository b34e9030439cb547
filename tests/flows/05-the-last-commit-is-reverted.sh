# The user asks to revert the last commit, which had added a test.
project
printf "test('multiplies', () => {});\n" >test/mul.test.js
commit 'add mul'
prompt 'revert the last commit'
git revert --no-edit HEAD >/dev/null
stop
