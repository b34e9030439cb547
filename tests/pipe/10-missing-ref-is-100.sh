# A base that is not there is a question asked wrongly, never "nothing to compare with, so nothing was lowered".
git init -q -b main
printf '```yaml\nchecks:\n  - {name: tests, run: "true"}\n```\n' >DONE.md
git add -A && git commit -qm start
rg-tamper --now --against no-such-ref; echo "status $?"
rg-tamper --now --against ''; echo "status $?"
rg-tamper --now --against=; echo "status $?"
rg-tamper --now --agianst main; echo "status $?"
rg-tamper --now --against --now; echo "status $?"
rg-event stop --against "$UNSET" | rg-tamper | rg-check | rg-answer; echo "status $?"
echo '--- nothing to compare with: said, and no yes'
rg-tamper --now; echo "status $?"
rg-event stop | rg-tamper | rg-check | rg-answer; echo "status $?"
echo '--- a scratch file makes no base of what is committed: what is found counts, nothing found is no yes'
echo x >x
rg-tamper --now; echo "status $?"
echo '# noqa' >x.py
rg-tamper --now; echo "status $?"
rm x.py
rg-tamper --now --against main; echo "status $?"
