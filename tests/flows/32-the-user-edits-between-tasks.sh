# The user edits sources and tests between two tasks.
project
prompt 'document add'
echo '// adds' >>src/add.js
stop
git rm -q test/sub.test.js && echo 'export const div = 1;' >src/div.js && commit 'by the user'
prompt 'document div'
echo '// divides' >>src/div.js
stop
