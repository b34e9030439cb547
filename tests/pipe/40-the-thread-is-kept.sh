# A conversation is compacted during a task: the summary that the agent gets, and the user's prompts.
. "$LIB/client.sh"
repository
start
prompt '#review greet in capitals, too, with -c. Keep what is there.'
echo 'echo "hello $2"' >greet.sh
stop | sed -n 1p
compacts() {
    tick
    event PreCompact '"trigger":"auto"' | rg-event --client claude | rg-anchor | rg-answer --client claude --kind compact-before
    tick
    event SessionStart '"source":"compact"' |
        rg-event --client claude | rg-anchor | rg-answer --client claude --kind session-start | field additionalContext
}
echo '--- the conversation is compacted'
compacts | sed "s/rg-receipt show [0-9A-Z]*/rg-receipt show RECEIPT/; s/--task [0-9A-Z]*/--task TASK/; s|in $T|in \$T|"
echo '--- the prompts in full'
rg-anchor show --prompts
echo '--- a session start without a loss of context: no summary'
start
