# Work is stashed and restored, with a question in between.
project
prompt 'document add'
echo '// adds' >>src/add.js
git stash -q
git stash pop -q
stop
