# rg-ask: a prompt goes in, an answer comes out, and a record stays that it was asked.
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
echo '--- several, each as a record'
echo 'Is it good?' | rg-ask --all --to oracle,sphinx | sed 's/"prompt_sha256.*"seconds/... "seconds/'
echo '--- do they agree?'
echo 'Is it good?' | rg-ask --agree 2 --to oracle,sphinx >x; echo "status $?"
echo '--- no answer is an answer of its own'
echo 'Is it good?' | rg-ask --to mute; echo "status $?"
echo 'Is it good?' | rg-ask --to nobody; echo "status $?"
echo '--- what stays'
sed 's/.*"to":"\([a-z]*\)".*"exit":\([0-9]*\).*/\1 \2/' "$RG_STATE/asks.jsonl"
