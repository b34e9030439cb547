# The checkout is sparse.
project
mkdir docs && echo text >docs/a.md && commit docs
git sparse-checkout set --no-cone '/*' '!/docs/' >/dev/null 2>&1
prompt 'document add'
echo '// adds' >>src/add.js
stop
