# A baseline can be blessed, by a person at a terminal, and every later receipt says so. What is compared with a commit does not
# heed it. (An agent that makes itself a terminal gets as far as this.)
stop() {
    printf '{"hook_event_name":"Stop","session_id":"s1","cwd":"%s","last_assistant_message":"done"}' "$PWD" |
        rg-event --client claude --within 3560 | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer --client claude --kind stop |
        sed 's/.*"reason":"\([^.]*\)\..*/\1/'
}
git init -q -b main
printf '```yaml\nchecks:\n  - {name: tests, run: "true"}\n```\n' >DONE.md
mkdir test && printf "it('a', () => {\n  one();\n});\n" >test/a.test.js
git add -A && git commit -qm start && git checkout -qb work
printf '{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"%s","prompt":"go"}' "$PWD" |
    rg-event --client claude | rg-tamper | rg-answer --client claude --kind prompt

sed -i "s/it('a'/it.skip('a'/" test/a.test.js
echo '--- caught'
stop
echo '--- not from a pipe, not without a reason'
rg-tamper bless --why 'it is fine' </dev/null; echo "status $?"
rg-tamper bless; echo "status $?"
export RG_NOW=2026-11-21T12:01:00Z
script -qec "rg-tamper bless --why 'it is fine'" /dev/null </dev/null | tr -d '\r' | sed 's/: .* is the/: ... is the/; s/task .* from/task ... from/'
echo '--- blessed: the session is done, and its receipt says why'
echo '// more' >>test/a.test.js
stop
rg-receipt show --json | sed -n '/"blessed"/,/]/p'
echo '--- CI is not impressed'
rg-event stop --against main | rg-tamper | rg-check | rg-answer
echo "status $?"
