# The user commits while the checks run, and a hook of git stashes the other changes meanwhile. The next stop is judged again.
project 'checks:
  - {name: tests, run: "sleep 0.5; sh run.sh"}'
prompt 'document add'
echo '// adds' >>src/add.js
echo staged >staged.txt
git add staged.txt
(sleep 0.2; git stash push -q --keep-index; git stash pop -q) &
stop
wait
stop
