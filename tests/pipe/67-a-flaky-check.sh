# A check that fails and then passes on the same files is flaky. A failure in quarantine is permitted until its date.
git init -q
# shellcheck disable=SC2016 # The check expands it.
run='n=$(cat ../n 2>/dev/null || echo 0); echo $((n + 1)) >../n; echo "try $n"; [ $n -ge 1 ]'
printf '```yaml\nchecks:\n  - name: tests\n    run: %s\n    retries: 1\n```\n' "'$run'" >DONE.md
git add -A && git commit -qm start
rg-check --now
rg-check flaky
echo '--- quarantine'
printf '```yaml\nchecks:\n  - {name: net, run: echo no server; exit 1}\nquarantine:\n  - {check: net, until: 2026-12-01, why: the server moves}\n```\n' >DONE.md
rg-check --now
echo "status $?"
RG_NOW=2026-12-02T00:00:00.000Z rg-check --now
echo "status $?"
