# jest writes a coverage report, and nothing ignores it.
project 'checks:
  - {name: tests, run: sh run.sh}'
cat >run.sh <<'RUN'
mkdir -p coverage/lcov-report
printf 'TN:\nSF:src/add.js\nend_of_record\n' >coverage/lcov.info
printf '{}' >coverage/coverage-final.json
printf '<html></html>' >coverage/lcov-report/index.html
RUN
commit 'the runner'
prompt 'document add'
echo '// adds' >>src/add.js
stop
