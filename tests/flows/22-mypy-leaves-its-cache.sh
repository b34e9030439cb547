# mypy leaves its cache, which ignores itself.
project 'checks:
  - {name: tests, run: sh run.sh}'
cat >run.sh <<'RUN'
mkdir -p .mypy_cache/3.12
printf '{}' >.mypy_cache/3.12/add.meta.json
printf '# Automatically created by mypy\n*\n' >.mypy_cache/.gitignore
printf 'Signature: 8a477f597d28d172789f06886806bc55\n' >.mypy_cache/CACHEDIR.TAG
RUN
commit 'the runner'
prompt 'document add'
echo '// adds' >>src/add.js
stop
