# An agent rewrites the test script so that it tests nothing. All checks pass, but the script is a protected file: the status is 3,
# because tampering is all that is open.
git init -q -b main
cat >DONE.md <<'X'
```yaml
checks:
  - name: tests
    run: sh -c "$(sed -n 's/.*"test": "\(.*\)".*/\1/p' package.json)"
guards:
  protect: [package.json]
```
X
echo '{"scripts": {"test": "echo 1 failed; exit 1"}}' >package.json
git add -A && git commit -qm start
git checkout -qb work

echo '--- the script is rewritten'
echo '{"scripts": {"test": "exit 0"}}' >package.json
rg-event stop --against main | rg-tamper | rg-check | rg-answer
echo "status $?"
git commit -qam 'fix the tests'
rg-event stop --against main | rg-tamper | rg-check | rg-answer
echo "status $?"

echo '--- a manual event without --against: the base is the fork point'
rg-tamper --now
echo "status $?"

echo '--- only the mode changed'
git checkout -q main -- package.json && chmod +x package.json
rg-tamper --now --against main
echo "status $?"
