# shellcheck source=tests/pipe/lib/client.sh
. "$LIB/client.sh"
# A loop bounces the agent until it writes that it is done; then the work is checked against DONE.md.
repository ''
prompt() {
    tick
    event UserPromptSubmit "\"prompt\":\"$1\"" | rg-event --client claude | rg-tamper | rg-loop mark |
        rg-answer --client claude --kind prompt | field systemMessage
}
stop() {
    tick
    event Stop "\"last_assistant_message\":\"$1\",\"background_tasks\":[]" |
        rg-event --client claude --within 3560 | rg-loop mark | rg-tamper | rg-check | rg-bounce | rg-loop next | rg-receipt |
        rg-answer --client claude --kind stop >"$T/reply"
    if grep -q '"block"' "$T/reply"; then field reason <"$T/reply" | head -n 4; else echo '(it may stop)'; fi
    field systemMessage <"$T/reply" | sed '/gate: bounced/d'
}
prompt '#loop greet in two languages'
echo '--- work without a mark'
echo 'echo "hallo $1"' >>greet.sh
stop 'The first one is there.'
rg-loop show | sed 's/^task [0-9A-Z]*/task .../'
echo '--- the mark lets the judges run, and a check fails'
stop 'Both.\n<loop-done>COMPLETE</loop-done>'
echo '--- a quoted mark is ignored'
echo 'test "$2" = de && echo "hallo $1" || echo "hello $1"' >greet.sh
stop 'It should say:\n> <loop-done>COMPLETE</loop-done>'
echo '--- done'
stop 'Both.\n<loop-done>COMPLETE</loop-done>'
rg-receipt list | sed 's/^[0-9A-Z]* *//;s/ *$//'
echo '--- another loop, which the user ends'
prompt '#loop greet in all languages'
prompt '#loop:stop'
rg-loop show; echo "status $?"
