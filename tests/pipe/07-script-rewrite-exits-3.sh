# A test script that tests nothing: every check is green, the protected file is not what it was. Status 3: it would be done, but
# the bar was lowered to get there.
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

echo '--- rewritten'
echo '{"scripts": {"test": "exit 0"}}' >package.json
rg-event stop --against main | rg-tamper | rg-check | rg-answer
echo "status $?"
git commit -qam 'fix the tests'
rg-event stop --against main | rg-tamper | rg-check | rg-answer
echo "status $?"

echo '--- by hand without a base: where the branch went off'
rg-tamper --now
echo "status $?"

echo '--- the mode alone'
git checkout -q main -- package.json && chmod +x package.json
rg-tamper --now --against main
echo "status $?"
