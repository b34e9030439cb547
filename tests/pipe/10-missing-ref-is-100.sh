# A --against without a commit is a usage error.
git init -q -b main
printf '```yaml\nchecks:\n  - {name: tests, run: "true"}\n```\n' >DONE.md
git add -A && git commit -qm start
rg-tamper --now --against no-such-ref; echo "status $?"
rg-tamper --now --against ''; echo "status $?"
rg-tamper --now --against=; echo "status $?"
rg-tamper --now --agianst main; echo "status $?"
rg-tamper --now --against --now; echo "status $?"
rg-event stop --against "$UNSET" | rg-tamper | rg-check | rg-answer; echo "status $?"
echo '--- no base: unverified'
rg-tamper --now; echo "status $?"
rg-event stop | rg-tamper | rg-check | rg-answer; echo "status $?"
echo '--- only uncommitted changes can be compared: findings count, otherwise unverified'
echo x >x
rg-tamper --now; echo "status $?"
echo "it.only('x')" >x.test.js
rg-tamper --now; echo "status $?"
rm x.test.js
rg-tamper --now --against main; echo "status $?"
