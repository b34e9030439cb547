# A coding agent says that it is finished. What stands between it and the word "done" is this line,
# which its client runs as a hook:
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

echo '--- a repository that says when it is done'
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

echo '--- a person asks; nothing is said, the task begins'
prompt 'fix src.txt'

echo '--- a turn that changed nothing owes nothing: no check is run'
stop 'That is a good question.'

echo '--- a turn that left the tests failing is sent back, with what they printed'
echo 'fixd' >src.txt
export RG_NOW=2026-11-21T12:01:00Z
stop 'All tests pass.'

echo '--- nothing changed since: one line'
export RG_NOW=2026-11-21T12:02:00Z
stop 'Really.'

echo '--- fixed: it may stop, and nothing needs to be said'
echo 'fixed' >src.txt
export RG_NOW=2026-11-21T12:03:00Z
stop 'Now it works.'

echo '--- what was decided is sealed'
rg-receipt list
rg-receipt verify | sed "s/digest .*/digest     (of the file)/"
echo "status $?"
