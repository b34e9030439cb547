# A check leaves .coverage and an egg-info directory that .gitignore names since this very task.
project 'checks:
  - {name: tests, run: "mkdir -p tiny.egg-info; date >tiny.egg-info/PKG-INFO; date >.coverage; sh run.sh"}'
prompt 'document add, and ignore what the tests leave'
printf '.coverage\n*.egg-info/\n' >.gitignore
echo '// adds' >>src/add.js
stop
stop
