# gradle builds into build/ and .gradle/, which .gitignore names.
project 'checks:
  - {name: tests, run: sh run.sh}'
cat >run.sh <<'RUN'
mkdir -p build/classes .gradle/8.10 app/build/test-results
printf 'x' >build/classes/A.class
printf 'x' >.gradle/8.10/fileHashes.bin
printf '<testsuite/>' >app/build/test-results/TEST-a.xml
RUN
printf 'build/\n.gradle/\n' >.gitignore
commit 'the runner'
prompt 'document add'
echo '// adds' >>src/add.js
stop
