# A check only looks at the format and reads every file.
project 'checks:
  - {name: format, run: "! grep -rn \"  $\" src test"}
  - {name: tests, run: sh run.sh}'
prompt 'document add'
echo '// adds' >>src/add.js
stop
