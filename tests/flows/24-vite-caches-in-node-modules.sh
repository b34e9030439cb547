# vite and other tools cache below node_modules, which is ignored.
project 'checks:
  - {name: tests, run: sh run.sh}'
cat >run.sh <<'RUN'
mkdir -p node_modules/.vite/deps node_modules/.cache/babel
printf '{}' >node_modules/.vite/deps/_metadata.json
printf 'x' >node_modules/.cache/babel/1.json
RUN
echo 'node_modules/' >.gitignore
commit 'the runner'
prompt 'document add'
echo '// adds' >>src/add.js
stop
