# The user blesses a baseline at a terminal, and every later receipt shows it. A comparison with a commit ignores the blessing.
# (An agent that opens a terminal of its own gets no further.)
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
echo '--- a skipped test is found'
stop
echo '--- bless without a terminal, and without a reason'
rg-tamper bless --why 'it is fine' </dev/null; echo "status $?"
rg-tamper bless; echo "status $?"
export RG_NOW=2026-11-21T12:01:00Z
script -qec "rg-tamper bless --why 'it is fine'" /dev/null </dev/null | tr -d '\r' | sed 's/: .* is the/: ... is the/; s/task .* since/task ... since/'
echo '--- blessed at a terminal: done, and the receipt shows the reason'
echo '// more' >>test/a.test.js
stop
rg-receipt show --json | sed -n '/"blessed"/,/]/p'
echo '--- CI compares with the commit'
rg-event stop --against main | rg-tamper | rg-check | rg-answer
echo "status $?"
