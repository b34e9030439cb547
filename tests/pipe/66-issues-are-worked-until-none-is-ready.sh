# shellcheck source=tests/pipe/lib/client.sh
. "$LIB/client.sh"
# A loop without a task works on issues: each gets a worktree, is reviewed, lands and is closed with its commit.
cat >"$T/reviewer.sh" <<'END'
cat >"$0.prompt"
request=$(sed -n 's/^# Review request //p' "$0.prompt" | head -n 1)
nonce=$(sed -n 's/.*"nonce": "\([0-9A-Z]*\)".*/\1/p' "$0.prompt" | head -n 1)
printf '{"decision": "approve", "request": "%s", "nonce": "%s", "summary": "good", "reviewed": ["greet.sh"]}\n' "$request" "$nonce"
END
repository "review: {when: always, by: command, command: sh $T/reviewer.sh}
"
masked() { sed "s,$T,T,g; s/[0-9A-Z]\\{26\\}/ID/g; s/[0-9a-z]\\{26\\}-[0-9a-f]\\{12\\}/NAME/g; s/landed [0-9a-f]\\{12\\}/landed COMMIT/; s/[0-9a-f]\\{40\\}/COMMIT/g; s/from [0-9a-f]\\{12\\}/from COMMIT/"; }
prompt() {
    tick
    event UserPromptSubmit "\"prompt\":\"$1\"" | rg-event --client claude | rg-tamper | rg-review-state | rg-loop mark |
        rg-answer --client claude --kind prompt >"$T/reply"
    field additionalContext <"$T/reply" | sed -n '/^Worktree/p;/^Issue/,$p' | masked
}
stop() {
    tick
    event Stop "\"last_assistant_message\":\"$1\",\"background_tasks\":[]" |
        rg-event --client claude --within 3560 | rg-loop mark | rg-tamper | rg-check | rg-review-state | rg-review | rg-bounce |
        rg-loop next | rg-receipt | rg-issue | rg-answer --client claude --kind stop >"$T/reply"
    if grep -q '"block"' "$T/reply"; then
        field reason <"$T/reply" | sed -n '1,2p;/^Issue/p' | masked
    else
        echo '(it may stop)'
    fi
    field systemMessage <"$T/reply" | masked
}
rg-issue new 'greet in German' -m 'greet.sh NAME de says hallo.' >/dev/null
rg-issue new 'greet in French' -m 'greet.sh NAME fr says salut.' >/dev/null
start
echo '--- the first issue'
prompt '#loop'
tree=$(echo .worktrees/*)
echo '--- it is not committed'
printf 'test "$2" = de && echo "hallo $1" || echo "hello $1"\n' >"$tree/greet.sh"
stop '<loop-done>COMPLETE</loop-done>'
echo '--- it is reviewed and lands, and the next one begins'
(cd "$tree" && git commit -qam 'greet in German')
stop '<loop-done>COMPLETE</loop-done>'
tree=$(echo .worktrees/*)
echo '--- the last one'
printf 'case $2 in de) echo "hallo $1" ;; fr) echo "salut $1" ;; *) echo "hello $1" ;; esac\n' >"$tree/greet.sh"
(cd "$tree" && git commit -qam 'greet in French')
stop '<loop-done>COMPLETE</loop-done>'
rg-issue list --all | masked
git log --format=%s
rg-worktree list
rg-receipt list | sed 's,^[0-9A-Z]* *,,;s, *$,,;s,since [0-9a-f]\{12\},since COMMIT,'
