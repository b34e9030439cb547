# The session is resumed in a new process, in the middle of a task.
project
prompt 'document add'
echo '// adds' >>src/add.js
session s1 62626262
start resume
prompt 'go on'
echo '// two numbers' >>src/add.js
stop
