# rg-run with a reviewer: its issue sends the agent back, and what it finds then ends the run.
. "$LIB/run.sh"
tests_repository 'review: {when: always, by: command, command: "sh ../reviewer"}
'
model reviewer "if grep -q world greet.sh; then
    # It names the issue that is resolved.
    keys=\$(printf '%s\n' \"\$in\" | sed -n 's/^| \([0-9a-z]*\) major .*/,\"\1\"/p' | sort -u | tr -d '\n')
    answers \"\\\"decision\\\":\\\"approve\\\",\\\"summary\\\":\\\"good\\\",\\\"reviewed\\\":[\\\"./\\\"\$keys]\"
else
    $(rejects 'nobody is greeted without a name')
fi"
agent 'case $n in 1) echo "echo \"hello \$1\" # first" >greet.sh ;; *) echo "echo \"hello \${1:-world}\"" >greet.sh ;; esac; echo "round $n"'
go 'greet the world if nobody is named'
echo '--- what the agent was told'
reason 2
