# After three bounces without progress the agent may stop, the outcome is "abandoned", and the user is told.
minute=0
stop() {
    minute=$((minute + 1)); export RG_NOW="2026-11-21T12:0$minute:00Z"
    printf '{"hook_event_name":"Stop","session_id":"s1","cwd":"%s","last_assistant_message":"%s"}' "$PWD" "$1" |
        rg-event --client claude --within 3560 | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer --client claude --kind stop |
        sed 's/"reason":"\([^.]*\.\).*"systemMessage"/"reason":"\1...","systemMessage"/; s/rg-receipt show .*"/rg-receipt show ID`"/'
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

echo '--- three bounces'
stop 'done'; stop 'done'; stop 'done'

echo '--- the budget is spent'
stop 'done'

echo '--- the task stays abandoned until it is done or the user writes a prompt'
stop 'done'

echo '--- a prompt of the user: the task continues with a new budget'
prompt 'try again'
stop 'done'

echo '--- giving up with CANNOT: spends no budget'
stop 'I tried.\nCANNOT: the check is false by definition'
rg-receipt list | cut -d' ' -f4-
