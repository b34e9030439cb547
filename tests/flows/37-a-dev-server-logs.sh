# A development server logs into the tree while the checks run.
project 'checks:
  - {name: tests, run: "echo line >>server.log; sh run.sh"}'
prompt 'document add'
echo '// adds' >>src/add.js
echo 'started' >server.log
stop
