# The agent adds a dependency; the check completes the lock file, which DONE.md declares.
project 'checks:
  - {name: tests, run: "echo left-pad@1.3.0 >package-lock.json && sh run.sh", writes: [package-lock.json]}'
echo '{}' >package.json && echo '' >package-lock.json && commit package
prompt 'add left-pad'
echo '{"dependencies":{"left-pad":"^1.3.0"}}' >package.json
stop
