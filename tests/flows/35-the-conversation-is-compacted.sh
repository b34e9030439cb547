# The conversation is compacted in the middle of a task.
project
prompt 'document add'
echo '// adds' >>src/add.js
event PreCompact '"trigger":"auto"' "$PRE_COMPACT"
start compact
stop
