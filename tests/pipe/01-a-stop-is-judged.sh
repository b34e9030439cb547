# A coding agent stops. Its client runs this hook line, which checks the work before the stop is allowed:
stop() {
    printf '{"hook_event_name":"Stop","session_id":"s1","cwd":"%s","last_assistant_message":"%s"}' "$PWD" "$1" |
        rg-event --client claude --within 3560 | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer --client claude --kind stop
    echo "status $?"
}
prompt() {
    printf '{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"%s","prompt":"%s"}' "$PWD" "$1" |
        rg-event --client claude --within 290 | rg-tamper | rg-answer --client claude --kind prompt
    echo "status $?"
}

echo '--- a repository with a DONE.md'
git init -q
cat >DONE.md <<'X'
# Done means

```yaml
checks:
  - name: tests
    run: sh test.sh
```
X
echo 'grep fixed src.txt || { echo "src.txt:1: not fixed"; exit 1; }' >test.sh
echo broken >src.txt
git add -A && git commit -qm start

echo '--- a prompt of the user: the task begins, without output'
prompt 'fix src.txt'

echo '--- a stop without changed files: no check runs'
stop 'That is a good question.'

echo '--- a stop with failing tests is bounced, with their output'
echo 'fixd' >src.txt
export RG_NOW=2026-11-21T12:01:00Z
stop 'All tests pass.'

echo '--- a stop without further changes: the reason is one line'
export RG_NOW=2026-11-21T12:02:00Z
stop 'Really.'

echo '--- a stop with passing tests is allowed, without output'
echo 'fixed' >src.txt
export RG_NOW=2026-11-21T12:03:00Z
stop 'Now it works.'

echo '--- the receipts'
rg-receipt list
rg-receipt verify | sed "s/digest .*/digest     (of the file)/"
echo "status $?"
