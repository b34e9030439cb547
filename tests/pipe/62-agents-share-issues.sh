# Issues say what is to be done, what blocks it, and who works on it. A claim runs out.
. "$LIB/client.sh"
repository ''
parse=$(rg-issue new 'parse quoted names' --priority 1 --tag bug -m 'The parser drops quotes.')
tick
print=$(rg-issue new 'print quoted names')
rg-issue dep "$parse" blocks "$print"
echo '--- a circle is refused'
rg-issue dep "$print" blocks "$parse"
echo "status $?"
echo '--- what can be worked on'
rg-issue ready
echo '--- an agent claims it, another one cannot'
rg-issue claim --as ada --for 30m
rg-issue claim "$parse" --as bob
echo "status $?"
rg-issue comment "$parse" --as ada -m 'the lexer is done'
echo '--- the claim runs out; its holder cannot close the issue'
export RG_NOW=2026-11-21T13:00:00Z
rg-issue status "$parse" closed --as ada
echo "status $?"
rg-issue claim "$parse" --as bob
rg-issue status "$parse" closed --as bob --fence 2 --commit c0ffee
echo '--- what can be worked on now'
rg-issue ready
echo '--- an issue, whole'
rg-issue show "$parse"
echo '--- issues of beads'
echo '{"id":"bd-7","title":"read stdin","status":"open","priority":0,"created_at":"2026-01-05T10:00:00+01:00"}' | rg-issue import -
rg-issue list
