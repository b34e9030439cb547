# A question between two tasks, after which the user removes an obsolete test.
project
prompt 'what is here?'
stop
git rm -q test/sub.test.js && git commit -qm 'an obsolete test'
prompt 'now document add'
echo '// adds' >>src/add.js
stop
