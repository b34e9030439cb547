# shellcheck shell=sh
# A client as its hooks see it. Each function sends one event through the whole line of hooks.json, and appends the reply to
# $T/replies. Time goes on by a second with each event. S is the session, P its process.
S=s1 P=42424242 clock=0
export CLAUDE_CODE_SESSION_ATTENDED=1
tick() { clock=$((clock + 1)); RG_NOW=$(printf '2026-11-21T12:%02d:%02dZ' $((clock / 60)) $((clock % 60))); export RG_NOW; }
# event NAME FIELDS LINE
event() {
    tick
    printf '{"session_id":"%s","cwd":"%s","transcript_path":"%s/log/%s.jsonl","hook_event_name":"%s",%s}' \
        "$S" "$PWD" "$T" "$S" "$1" "$2" | CLAUDE_PID=$P sh -c "$3" >"$T/reply" 2>"$T/errors"
    [ ! -s "$T/reply" ] || { printf '%s %s: ' "$S" "$1" && cat "$T/reply"; } >>"$T/replies"
    [ ! -s "$T/errors" ] || { printf '%s %s: ' "$S" "$1" && cat "$T/errors"; } >>"$T/replies"
}
# shellcheck disable=SC2120
start() { event SessionStart "\"source\":\"${1:-startup}\"" "$SESSION_START"; }
prompt() { event UserPromptSubmit "\"prompt\":\"$1\"" "$PROMPT"; }
stop() { event Stop '"last_assistant_message":"I am done.","background_tasks":[],"session_crons":[],"stop_hook_active":false' "$STOP"; }
# tool NAME INPUT: a tool call as the hooks before and after it see it.
tool() {
    event PreToolUse "\"tool_name\":\"$1\",\"tool_use_id\":\"t$clock\",\"tool_input\":$2" 'rg-guard --hook --client claude'
    event PostToolUse "\"tool_name\":\"$1\",\"tool_use_id\":\"t$clock\",\"tool_input\":$2,\"tool_response\":{}" 'rg-trace --hook --client claude'
}
# subagent ID, subagent_stops ID
subagent() { event SubagentStart "\"agent_id\":\"$1\",\"agent_type\":\"general-purpose\"" "$SUBAGENT_START"; }
subagent_stops() { event SubagentStop "\"agent_id\":\"$1\",\"agent_type\":\"general-purpose\",\"last_assistant_message\":\"done\"" "$SUBAGENT_STOP"; }
# session NAME PID: the events that follow come from that session.
session() { S=$1 P=$2; }
done_md() { printf '# Done\n\n```yaml\n%s\n```\n' "$1" >DONE.md; }
commit() { git add -A && git commit -qm "${1:-work}"; }
# A repository with a passing check, tests and sources; the session has started.
project() {
    git init -q
    mkdir -p src test
    printf 'sh check.sh\n' >run.sh
    printf "! grep -q broken src/*.js\n" >check.sh
    printf 'export const add = (a, b) => a + b;\n' >src/add.js
    printf "test('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n" >test/add.test.js
    printf "test('subtracts', () => {\n  expect(sub(2, 1)).toBe(1);\n});\n" >test/sub.test.js
    done_md "${1:-checks:
  - {name: tests, run: sh run.sh\}}"
    commit start
    # shellcheck disable=SC2119
    start
}
# waive: the user runs the line that the last message offers, at a terminal.
waive() {
    line=$(grep -o 'rg-bounce waive [^`]*' "$T/reply" | head -1 | sed 's/\\"/"/g')
    [ -n "$line" ] || { echo 'no waiver is offered'; return; }
    script -qec "$line" /dev/null >/dev/null </dev/null || echo "failed: $line"
}
