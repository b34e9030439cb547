# Manual events, as in cron and CI: an operand instead of a client's JSON, text and a status instead of a reply.
git init -q
echo '--- no DONE.md'
rg-event stop | rg-tamper | rg-check | rg-answer
echo "status $?"

cat >DONE.md <<'X'
```yaml
checks:
  - name: lint
    run: "true"
  - name: tests
    run: echo "1 failed"; exit 1
```
X
git add -A && git commit -qm start

echo '--- a check fails'
rg-event stop | rg-tamper | rg-check | rg-answer
echo "status $?"

echo '--- one program without a pipeline; a failed check runs again, because its cause may be outside of the files'
rg-check --now
echo "status $?"

echo '--- all checks pass, and the same files again: the recorded result is reused'
sed 's/exit 1/exit 0/' DONE.md >x && mv x DONE.md
rg-check --now
export RG_NOW=2026-11-21T12:05:00Z
rg-check --now
git checkout -q DONE.md

echo '--- only some checks run: unverified'
rg-check --now --only lint
echo "status $?"

echo '--- Markdown'
rg-event stop | rg-tamper | rg-check | rg-answer --format markdown

echo '--- a DONE.md that cannot be parsed'
sed 's/name: lint/nmae: lint/' DONE.md >x && mv x DONE.md
rg-check --now
echo "status $?"

echo '--- usage errors'
git checkout -q DONE.md
rg-check --now --only nothing; echo "status $?"
rg-check --bogus; echo "status $?"
rg-event stop --against ''; echo "status $?"
rg-event stop --against no-such-ref; echo "status $?"

echo '--- an earlier stage is missing or failed'
rg-event --bogus | rg-check | rg-answer; echo "status $?"
rg-event stop 2>/dev/null | rg-no-such-tool 2>/dev/null | rg-answer; echo "status $?"
echo '{"v":2}' | rg-answer; echo "status $?"
