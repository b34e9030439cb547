# As a client's hook: one JSON object in; silence lets the call run, a denial says why.
printf '```yaml\nchecks:\n  - {name: tests, run: "true"}\nguards: {protect: ["kept/**"]}\ncommands:\n  deny:\n    - {pattern: "npm install", reason: "the lock file is frozen"}\n```\n' >DONE.md
git init -q
call() { # TOOL INPUT
    printf '{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"%s","tool_name":"%s","tool_input":%s}' "$PWD" "$1" "$2" |
        rg-guard --hook --client claude
}

echo '--- it may run'
call Bash '{"command":"ls -la"}'
echo '--- it may not'
call Bash '{"command":"git push --force origin main"}'
echo '--- files, whatever they are called on the way'
call Write '{"file_path":"src/../kept/a.txt","content":"x"}'
call Write '{"file_path":".claude/agents/reviewer.md","content":"x"}'
echo '--- what DONE.md says'
call Bash '{"command":"cd web && npm install left-pad"}'
echo '--- what cannot be read does not run'
call Bash '{}'
echo '--- a corpus of labelled commands'
printf '%s\n' '{"cmd":"git clean -fdx","expect":"deny"}' '{"cmd":"git clean -n","expect":"allow"}' '{"cmd":"ls","expect":"deny"}' >rows.jsonl
rg-guard test rows.jsonl; echo "status $?"
