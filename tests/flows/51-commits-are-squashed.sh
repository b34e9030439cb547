# The commits of the task are squashed into one.
project
prompt 'document add in small commits, then squash'
for word in one two three; do echo "// $word" >>src/add.js; commit $word; done
git reset -q --soft HEAD~3 && git commit -qm 'document add'
stop
