# A subagent does the work.
project
prompt 'let a subagent document add'
subagent a1
echo '// adds' >>src/add.js
subagent_stops a1
stop
