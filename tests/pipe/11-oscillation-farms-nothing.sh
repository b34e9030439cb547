# Skipping a test and restoring it is no progress: a score is compared with the best one so far.
minute=10
stop() {
    minute=$((minute + 1)); export RG_NOW="2026-11-21T12:$minute:00Z"
    printf '{"hook_event_name":"Stop","session_id":"s1","cwd":"%s","last_assistant_message":"done"}' "$PWD" |
        rg-event --client claude --within 3560 | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer --client claude --kind stop >/dev/null
    rg-receipt show | sed -n 's/ (tampering)//; /^not-done\|^abandoned\|^done/p' | cut -c1-61
}
git init -q
printf '```yaml\nchecks:\n  - {name: tests, run: "false"}\n```\n' >DONE.md
mkdir test && printf "it('a', () => {\n  one();\n});\n" >test/a.test.js
git add -A && git commit -qm start
printf '{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"%s","prompt":"go"}' "$PWD" |
    rg-event --client claude | rg-tamper | rg-answer --client claude --kind prompt
for round in 1 2 3; do
    sed -i "s/it('a'/it.skip('a'/" test/a.test.js; stop
    sed -i "s/it.skip('a'/it('a'/" test/a.test.js; echo "// $round" >>test/a.test.js; stop
done
