# ruff leaves its cache, which ignores itself.
project 'checks:
  - {name: tests, run: sh run.sh}'
cat >run.sh <<'RUN'
mkdir -p .ruff_cache/0.14.0
printf 'data' >.ruff_cache/0.14.0/1234567890
printf '*\n' >.ruff_cache/.gitignore
printf 'Signature: 8a477f597d28d172789f06886806bc55\n' >.ruff_cache/CACHEDIR.TAG
RUN
commit 'the runner'
prompt 'document add'
echo '// adds' >>src/add.js
stop
