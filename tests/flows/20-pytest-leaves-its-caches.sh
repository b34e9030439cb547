# pytest leaves byte code and its cache, and nothing ignores them.
project 'checks:
  - {name: tests, run: sh run.sh}'
cat >run.sh <<'RUN'
mkdir -p test/__pycache__ .pytest_cache/v/cache
printf 'pyc' >test/__pycache__/test_add.cpython-312-pytest-8.3.3.pyc
printf '{}' >.pytest_cache/v/cache/lastfailed
printf '[]' >.pytest_cache/v/cache/nodeids
printf '*\n' >.pytest_cache/.gitignore
printf 'Signature: 8a477f597d28d172789f06886806bc55\n' >.pytest_cache/CACHEDIR.TAG
RUN
commit 'the runner'
prompt 'document add'
echo '// adds' >>src/add.js
stop
