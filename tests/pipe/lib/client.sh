# shellcheck shell=sh disable=SC2034
# A client as its hooks see it: each function sends one event through its line of hooks.json (shortened) and shows what matters of
# the answer. Time goes on by a second with each.
export CLAUDE_CODE_SESSION_ATTENDED=1 CLAUDE_PLUGIN_ROOT="$T/plugin"
mkdir -p "$T/plugin/agents" "$T/log/s1/subagents" && cp "$LIB/../../../agents/reviewer.md" "$T/plugin/agents/"
clock=0
tick() { clock=$((clock + 1)); RG_NOW=$(printf '2026-11-21T12:%02d:%02dZ' $((clock / 60)) $((clock % 60))); export RG_NOW; }
event() {
    printf '{"session_id":"s1","cwd":"%s","transcript_path":"%s/log/s1.jsonl","hook_event_name":"%s",%s}' "$PWD" "$T" "$1" "$2"
}
quoted() { printf '%s' "$1" | sed ':a;$!{N;ba};s/\\/\\\\/g;s/"/\\"/g;s/\n/\\n/g'; }
field() { sed -n "s/.*\"$1\":\"\\(\\([^\"\\\\]\\|\\\\.\\)*\\)\".*/\\1/p" | sed 's/\\"/"/g;s/\\n/\
/g'; }
start() {
    tick
    event SessionStart '"source":"startup"' |
        rg-event --client claude | rg-tamper | rg-review-state | rg-answer --client claude --kind session-start
}
prompt() {
    tick
    event UserPromptSubmit "\"prompt\":\"$1\"" |
        rg-event --client claude | rg-tamper | rg-review-state | rg-answer --client claude --kind prompt | field systemMessage
}
# stop [MESSAGE]: the agent stops, saying that.
stop() {
    tick
    event Stop "\"last_assistant_message\":\"$(quoted "${1:-I am done.}")\",\"background_tasks\":[]" |
        rg-event --client claude --within 3560 | rg-tamper | rg-check | rg-review-state | rg-review | rg-bounce | rg-receipt |
        rg-answer --client claude --kind stop >"$T/reply"
    if [ -s "$T/reply" ]; then field reason <"$T/reply"; field systemMessage <"$T/reply" | sed -n '/gate: bounced/!p'; else echo '(it may stop)'; fi
}
# call WORDS: the agent calls the reviewer; the gate's prompt is left in $T/request.
call() {
    tick
    event PreToolUse "\"tool_name\":\"Agent\",\"tool_use_id\":\"t1\",\"tool_input\":{\"subagent_type\":\"review-gate:reviewer\",\"prompt\":\"$1\"}" |
        rg-event --client claude | rg-review-state | rg-answer --client claude --kind tool-before | field prompt >"$T/request"
    request=$(sed -n 's/^# Review request //p' "$T/request")
}
# begins AGENT: the client starts it with the gate's prompt, and the gate gives it a nonce.
begins() {
    tick
    printf '{"type":"user","message":{"content":"%s"}}\n' "$(quoted "$(cat "$T/request")")\\n" >"$T/log/s1/subagents/agent-$1.jsonl"
    nonce=$(event SubagentStart "\"agent_id\":\"$1\",\"agent_type\":\"review-gate:reviewer\"" |
        rg-event --client claude | rg-review-state | rg-answer --client claude --kind subagent-start |
        sed -n 's/.*nonce for request [0-9A-Z]* is \([0-9A-Z]*\)\..*/\1/p')
}
# says AGENT MESSAGE: the reviewer stops, saying that.
says() {
    tick
    event SubagentStop "\"agent_id\":\"$1\",\"agent_type\":\"review-gate:reviewer\",\"last_assistant_message\":\"$(quoted "$2")\"" |
        rg-event --client claude | rg-tamper | rg-review-state | rg-bounce | rg-receipt |
        rg-answer --client claude --kind subagent-stop >"$T/reply"
    field reason <"$T/reply"
    field systemMessage <"$T/reply"
}
approval() { printf '{"decision":"approve","request":"%s","nonce":"%s","summary":"good","reviewed":["%s"]}' "$request" "$nonce" "$1"; }
issues() {
    printf '{"decision":"issues","request":"%s","nonce":"%s","summary":"not yet","reviewed":["greet.sh"],"issues":[%s]}' "$request" "$nonce" "$1"
}
# model NAME SCRIPT: a program that reads a request and answers as the script does, with answers FIELDS.
model() {
    cat >"$T/$1" <<'X'
in=$(cat); id=$(printf '%s\n' "$in" | sed -n 's/^# \(Review r\|R\)equest //p' | head -n 1)
nonce=$(printf '%s\n' "$in" | sed -n 's/.*"nonce": "\([0-9A-Z]*\)".*/\1/p' | head -n 1)
reviewed='"reviewed":["./","tests/"]'
answers() { printf '{"request":"%s","nonce":"%s",%s}\n' "$id" "$nonce" "$1"; }
. "$0.answer"
X
    printf '%s\n' "$2" >"$T/$1.answer"
}
# rejects TEXT: the script of a reviewer that raises this issue.
rejects() {
    printf '%s' 'answers "\"decision\":\"issues\",\"summary\":\"not yet\",$reviewed,\"issues\":[{\"severity\":\"major\",\"path\":\"greet.sh\",'
    printf '%s' "\\\"description\\\":\\\"$1\\\",\\\"how_to_verify\\\":\\\"sh greet.sh\\\"}]\""
}
# tests_repository YAML: a repository whose check runs each file of tests/.
tests_repository() {
    git init -q && printf '```yaml\nchecks:\n  - {name: tests, run: sh run-tests}\n%s```\n' "$1" >DONE.md
    printf 'for t in tests/*.sh; do sh "$t" || { echo "FAILED $t"; exit 1; }; done\n' >run-tests
    mkdir tests && printf 'test "$(sh greet.sh Ada)" = "hello Ada"\n' >tests/ada.sh && echo 'echo "hello $1"' >greet.sh
    git add -A && git commit -qm start
}
repository() {
    git init -q && printf '```yaml\nchecks:\n  - {name: tests, run: sh test.sh}\n%s```\n' "$1" >DONE.md
    printf 'test "$(sh greet.sh Ada)" = "hello Ada"\n' >test.sh && echo 'echo "hello $1"' >greet.sh
    git add -A && git commit -qm start
}
