# The guards judge each subagent's stop, by what changed since it started. No check runs.
hook() {
    printf '{"hook_event_name":"%s","session_id":"s1","cwd":"%s","agent_id":"%s","agent_type":"worker"}' "$1" "$PWD" "$2"
}
start() { hook SubagentStart "$1" | rg-event --client claude | rg-tamper | rg-answer --client claude --kind subagent-start; }
stop() {
    echo "--- $1 stops"
    hook SubagentStop "$1" | rg-event --client claude --within 290 | rg-tamper | rg-bounce | rg-receipt |
        rg-answer --client claude --kind subagent-stop | sed 's/\\n/\n/g; s/","systemMessage.*/"/' | grep -v '^If you\|^Next\|^Details'
}
git init -q
printf '```yaml\nchecks:\n  - {name: tests, run: "false"}\n```\n' >DONE.md
mkdir test && printf "it('a', () => {\n  one();\n});\nit('b', () => {\n  two();\n});\n" >test/a.test.js
git add -A && git commit -qm start
printf '{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"%s","prompt":"go"}' "$PWD" |
    rg-event --client claude | rg-tamper | rg-answer --client claude --kind prompt

start reader; start skipper
echo '--- failed checks do not count at a subagent'\''s stop; one that changed no file is not judged'
stop reader
sed -i "s/it('a'/it.skip('a'/" test/a.test.js
start latecomer
stop skipper
stop latecomer
export RG_NOW=2026-11-21T12:01:00Z
sed -i "s/it.skip('a'/it('a'/" test/a.test.js
stop skipper
rg-receipt list | cut -d' ' -f4-
