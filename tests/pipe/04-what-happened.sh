# rg-trace records a session: as a stage of the pipelines, and as a hook of its own after every tool call.
printf '```yaml\nchecks:\n  - {name: tests, run: test -e fixed}\n```\n' >DONE.md
hook() { # EVENT FIELDS | stages
    printf '{"hook_event_name":"%s","session_id":"s1","cwd":"%s",%s}' "$1" "$PWD" "$2"
}
hook UserPromptSubmit '"prompt":"make it work"' |
    rg-event --client claude | rg-tamper | rg-trace | rg-answer --client claude --kind prompt
export RG_NOW=2026-11-21T12:00:30Z
hook PostToolUse '"tool_name":"Bash","tool_input":{"command":"touch fixd"},"tool_response":{}' | rg-trace --hook --client claude
touch fixd
export RG_NOW=2026-11-21T12:01:00Z
hook Stop '"last_assistant_message":"done"' |
    rg-event --client claude | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-trace | rg-answer --client claude --kind stop >/dev/null
export RG_NOW=2026-11-21T12:02:00Z
hook SessionEnd '"reason":"other"' | rg-trace --hook --client claude

echo '--- the session'
rg-trace show | sed 's/ [0-9A-Z]*$/ RECEIPT/'

echo '--- followed by somebody who comes late'
rg-trace follow s1 | sed -n '2p;$p'

echo '--- as a page'
rg-trace show --html | sed -n 's/.*<h1>/<h1>/p;/<h2>/p'

echo '--- the files of the state directory'
(cd "$RG_STATE" && ls)
cut -c1-60 "$RG_STATE"/trace/s1.jsonl
