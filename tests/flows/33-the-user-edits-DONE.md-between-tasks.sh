# The user edits DONE.md between two tasks.
project
prompt 'document add'
echo '// adds' >>src/add.js
stop
echo 'Some words of the user.' >>DONE.md && commit 'words'
prompt 'document it more'
echo '// two numbers' >>src/add.js
stop
