# The client of the session is another process, and no start was seen.
project
prompt 'document add'
echo '// adds' >>src/add.js
stop
session s1 72727272
prompt 'document it more'
echo '// two numbers' >>src/add.js
stop
