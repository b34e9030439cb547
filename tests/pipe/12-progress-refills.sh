# Fewer findings than ever before, or reaching a later judge, is progress: the count of bounces starts again, and the reason says so.
minute=10
stop() {
    minute=$((minute + 1)); export RG_NOW="2026-11-21T12:$minute:00Z"
    printf '{"hook_event_name":"Stop","session_id":"s1","cwd":"%s","last_assistant_message":"done"}' "$PWD" |
        rg-event --client claude --within 3560 | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer --client claude --kind stop |
        sed 's/\\n/\n/g' | sed -n 's/.*"reason":"//; /^NOT DONE\|^Open findings/p'
}
git init -q
printf '```yaml\nchecks:\n  - {name: tests, run: "false"}\n```\n' >DONE.md
mkdir test && for n in a b c; do printf "it('%s', () => {\n  one();\n});\n" "$n" >"test/$n.test.js"; done
git add -A && git commit -qm start
printf '{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"%s","prompt":"go"}' "$PWD" |
    rg-event --client claude | rg-tamper | rg-answer --client claude --kind prompt
sed -i "s/it('/it.skip('/" test/*.js; stop
echo '// no progress' >>test/a.test.js; stop
sed -i "s/it.skip('/it('/" test/a.test.js; stop
sed -i "s/it.skip('/it('/" test/[bc].test.js; stop
