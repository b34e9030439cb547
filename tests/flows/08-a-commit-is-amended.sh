# The last commit is amended, and commits are squashed.
project
prompt 'document add, in one commit'
echo '// adds' >>src/add.js
commit one
echo '// two numbers' >>src/add.js
git commit -qa --amend --no-edit
stop
