# The same tools by hand, in cron and in CI: an operand instead of a client's JSON, words and a status instead of a reply.
git init -q
echo '--- nothing to judge'
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

echo '--- red'
rg-event stop | rg-tamper | rg-check | rg-answer
echo "status $?"

echo '--- one filter is both ends itself; red is run again: what made it red may lie outside of the files'
rg-check --now
echo "status $?"

echo '--- green, and the same files again: answered from the record'
sed 's/exit 1/exit 0/' DONE.md >x && mv x DONE.md
rg-check --now
export RG_NOW=2026-11-21T12:05:00Z
rg-check --now
git checkout -q DONE.md

echo '--- a part is never the whole'
rg-check --now --only lint
echo "status $?"

echo '--- for a page'
rg-event stop | rg-tamper | rg-check | rg-answer --format markdown

echo '--- a definition of done that cannot be read'
sed 's/name: lint/nmae: lint/' DONE.md >x && mv x DONE.md
rg-check --now
echo "status $?"

echo '--- asked wrongly'
git checkout -q DONE.md
rg-check --now --only nothing; echo "status $?"
rg-check --bogus; echo "status $?"
rg-event stop --against ''; echo "status $?"
rg-event stop --against no-such-ref; echo "status $?"

echo '--- a dead stage is never a yes'
rg-event --bogus | rg-check | rg-answer; echo "status $?"
rg-event stop 2>/dev/null | rg-no-such-tool 2>/dev/null | rg-answer; echo "status $?"
echo '{"v":2}' | rg-answer; echo "status $?"
