# A check writes its report to a directory that has always been ignored.
project 'checks:
  - {name: tests, run: "mkdir -p out && date >out/report.xml && sh run.sh"}'
echo 'out/' >.gitignore && commit ignore
prompt 'document add'
echo '// adds' >>src/add.js
stop
