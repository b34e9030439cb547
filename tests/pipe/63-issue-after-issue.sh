# shellcheck source=tests/pipe/lib/client.sh
. "$LIB/client.sh"
# A loop over issues: each is worked on in a worktree of its own, reviewed by the program of DONE.md, landed and closed. It ends when
# no issue is ready.
model reviewer "if echo \"\$in\" | grep -q 'hello Ada'; then answers \"\\\"decision\\\":\\\"approve\\\",\\\"summary\\\":\\\"good\\\",\$reviewed\"
else $(rejects 'the greeting does not name Ada' | sed 's/greet.sh/hello.txt/'); fi"
git init -q && git config user.name ada && git config user.email ada@example.invalid
cat >DONE.md <<X
\`\`\`yaml
checks:
  - {name: tests, run: sh test.sh}
review: {when: always, by: command, command: sh $T/reviewer}
\`\`\`
X
echo 'for f in *.txt; do test -s "$f" || exit 1; done' >test.sh && echo 'Greetings.' >title.txt
rg-msg init && git add -A && git commit -qm start
git init -q --bare ../remote && git remote add origin ../remote && git push -q -u origin main
short() { sed "s#$PWD#.#g;s/$one/ONE/g;s/$two/TWO/g;s/$(echo "$one" | tr '[:upper:]' '[:lower:]')/one/g;s/$(echo "$two" | tr '[:upper:]' '[:lower:]')/two/g
s/\\(one\\|two\\)-[0-9a-f]\\{12\\}/\\1/g;s/landed [0-9a-f]*/landed COMMIT/;s/01[0-9A-Z]\\{24\\}/ID/g;s/sha:[0-9a-f]*/sha:COMMIT/;s/([0-9.]* s)/(TIME)/"; }
brief() { sed '/^Use tools/d;/^When the task/d;/^$/d;s/ Until the task.*//;s/ Use absolute paths.*//'; }
start() {
    tick
    event SessionStart '"source":"startup"' | rg-event --client claude | rg-tamper | rg-review-state | rg-anchor | rg-issue |
        rg-trace | rg-answer --client claude --kind session-start | field additionalContext | short
}
prompt() {
    tick
    event UserPromptSubmit "\"prompt\":\"$1\"" | rg-event --client claude | rg-tamper | rg-review-state | rg-loop mark | rg-trace |
        rg-answer --client claude --kind prompt >"$T/reply"
    field additionalContext <"$T/reply" | brief | short
}
stop() {
    tick
    event Stop "\"last_assistant_message\":\"$1\",\"background_tasks\":[]" |
        rg-event --client claude --within 3560 | rg-loop mark | rg-tamper | rg-check | rg-review-state | rg-review | rg-bounce |
        rg-loop next | rg-receipt | rg-issue | rg-trace | rg-answer --client claude --kind stop >"$T/reply"
    field reason <"$T/reply" | brief | short
    field systemMessage <"$T/reply" | sed 's/^/(the user is told) /' | short
}
one=$(rg-issue new 'greet Ada' --priority 1 -m 'hello.txt is to greet Ada by her name.')
tick
two=$(rg-issue new 'take leave' -m 'bye.txt is to say goodbye.')
echo '--- a session starts'
start
echo '--- the user types #loop'
prompt '#loop'
echo '--- the agent commits its work; the reviewer rejects it'
cd .worktrees/01*/ && echo hello >hello.txt && git add -A && git commit -qm 'greet' && cd ../..
stop '<loop-done>COMPLETE</loop-done>'
echo '--- it lands, and the next issue begins'
cd .worktrees/01*/ && echo 'hello Ada' >hello.txt && git commit -qam 'name her' && cd ../..
stop '<loop-done>COMPLETE</loop-done>'
echo '--- no issue is ready: the loop ends, and the stop is judged'
cd .worktrees/01*/ && echo 'bye; she said hello Ada' >bye.txt && git add -A && git commit -qm 'take leave' && cd ../..
stop '<loop-done>COMPLETE</loop-done>'
echo '--- afterwards'
git log --format=%s origin/main
rg-issue list --all | sed 's/^[0-9A-Z]*  //'
rg-msg read project:repo | short | sed 's/  *$//'
git worktree list | wc -l
echo '--- the trace of the session'
rg-trace show | short
