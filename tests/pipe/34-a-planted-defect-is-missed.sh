# rg-review: with "canary" a defect is planted in a copy first. A reviewer that approves it is not believed in this task.
. "$LIB/client.sh"
HOME=$T && export HOME
repository 'review: {command: "sh \"$HOME/reviewer\"", canary: 1}
'
model reviewer 'grep -h "return a" *.py >"$HOME/read"; answers "\"decision\":\"approve\",\"summary\":\"good\",$reviewed"'
start
prompt '#review compare'
printf 'def same(a, b):\n    return a == b\n' >same.py
stop
echo '--- what the reviewer read, and what is there'
cat "$T/read"
cat same.py
rg-receipt show | sed -n 1p
rg-review-state list --reviewers
