# The user works in a second worktree of the repository meanwhile.
project
git worktree add -q -b other "$T/other"
prompt 'document add'
echo '// adds' >>src/add.js
(cd "$T/other" && git rm -q test/sub.test.js && git commit -qm 'in the other tree')
stop
