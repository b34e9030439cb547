# The user clears the conversation after a task, and asks for another one.
project
prompt 'document add'
echo '// adds' >>src/add.js
stop
session s9 42424242
start clear
prompt 'document it more'
echo '// two numbers' >>src/add.js
stop
