# Sent back three times without progress, the agent may stop, but the word is "abandoned", and the person is told.
minute=0
stop() {
    minute=$((minute + 1)); export RG_NOW="2026-11-21T12:0$minute:00Z"
    printf '{"hook_event_name":"Stop","session_id":"s1","cwd":"%s","last_assistant_message":"%s"}' "$PWD" "$1" |
        rg-event --client claude --within 3560 | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer --client claude --kind stop |
        sed 's/"reason":"\([^.]*\.\).*"systemMessage"/"reason":"\1...","systemMessage"/; s/rg-receipt show .*"/rg-receipt show ID"/'
}
prompt() {
    printf '{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"%s","prompt":"%s"}' "$PWD" "$1" |
        rg-event --client claude | rg-tamper | rg-answer --client claude --kind prompt
}
git init -q
printf '```yaml\nchecks:\n  - {name: tests, run: "false"}\n```\n' >DONE.md
git add -A && git commit -qm start
prompt 'make it work'
echo work >a

echo '--- three rounds'
stop 'done'; stop 'done'; stop 'done'

echo '--- spent'
stop 'done'

echo '--- it stays so until it is green or a person speaks'
stop 'done'

echo '--- a person speaks: the task goes on with one fresh budget'
prompt 'try again'
stop 'done'

echo '--- the honest way out costs nothing'
stop 'I tried.\nCANNOT: the check is false by definition'
rg-receipt list | cut -d' ' -f4-
