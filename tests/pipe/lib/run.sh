# shellcheck shell=sh
# rg-run in transcripts: an agent that follows a script, and steps of a run without what differs each time.
. "$LIB/client.sh"
# agent SCRIPT: an agent that does this in each round $n. Its prompt is left in $T/prompt.$n.
agent() {
    printf 'n=$(cat %s/n 2>/dev/null || echo 0); n=$((n + 1)); echo $n >%s/n; cat >%s/prompt.$n\n%s\n' "$T" "$T" "$T" "$1" >"$T/agent.sh"
    rm -f "$T/n"
}
# steps: what each round came to, and how the run ended.
steps() {
    sed -n 's/.*"state":"judged".*"round":\([0-9]*\).*"summary":"\(\([^"\\]\|\\.\)*\)".*/round \1: \2/p
        s/.*"state":"end".*"outcome":"\([^"]*\)","status":\([0-9]*\).*"why":"\(\([^"\\]\|\\.\)*\)".*/end, status \2: \1: \3/p' |
        sed 's/\\"/"/g;s/(exit \([0-9]*\), [0-9.]* s)/(exit \1)/g;s/show [0-9A-Z]\{26\}/show ID/g;s/landed [0-9a-f]\{12\}/landed COMMIT/'
}
go() {
    rg-run "$@" -- sh "$T/agent.sh" >"$T/steps"
    status=$?
    steps <"$T/steps"
    echo "status $status"
}
# reason N: what the agent of round N was told about the round before.
reason() { sed -n '/^# The last round/,$p' "$T/prompt.$1" | sed 's/(exit \([0-9]*\), [0-9.]* s)/(exit \1)/g;s/show [0-9A-Z]\{26\}/show ID/g;s/\[[0-9a-f]\{8,\}\]/[KEY]/g'; }
# receipt: the receipt of the last run.
receipt() { rg-receipt show "$(sed -n 's/.*"state":"end".*"receipt":"\([^"]*\)".*/\1/p' "$T/steps")"; }
