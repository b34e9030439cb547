# rg-ask: asks another model, prints its answer and records the question.
git init -q
cat >DONE.md <<'X'
```yaml
checks:
  - {name: tests, run: "true"}
ask:
  to: oracle
  targets:
    oracle: "sed 's/^Is it/Yes, it is/; s/?/./'"
    sphinx: "cat >/dev/null; echo no"
    mute: "exit 3"
```
X
echo 'Is it good?' | rg-ask; echo "status $?"
echo '--- several targets, each as a record'
echo 'Is it good?' | rg-ask --all --to oracle,sphinx | sed 's/"prompt_sha256.*"seconds/... "seconds/'
echo '--- do they agree?'
echo 'Is it good?' | rg-ask --agree 2 --to oracle,sphinx >x; echo "status $?"
echo '--- a missing answer is recorded'
echo 'Is it good?' | rg-ask --to mute; echo "status $?"
echo 'Is it good?' | rg-ask --to nobody; echo "status $?"
echo '--- the records'
sed 's/.*"to":"\([a-z]*\)".*"exit":\([0-9]*\).*/\1 \2/' "$RG_STATE/asks.jsonl"
