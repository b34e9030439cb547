# rg-review: if the agent cannot or must not call a reviewer, the gate starts one: any program that reads and prints.
. "$LIB/client.sh"
repository 'review: {command: "sh ../reviewer"}
'
cat >"$T/reviewer" <<'X'
in=$(cat); p=$(echo "$in" | sed -n 's/^# Review request //p'); n=$(echo "$in" | sed -n 's/.*"nonce": "\([0-9A-Z]*\)".*/\1/p')
printf '{"decision":"approve","request":"%s","nonce":"%s","summary":"good","reviewed":["greet.sh"]}' "$p" "$n"
X
start
prompt '#review greet twice'
echo 'echo "hello $1" # twice' >greet.sh
echo '--- at a stop'
stop
rg-receipt show --json | sed -n '/"review": {/,/}/p' | sed 's/[0-9a-f]\{64\}/.../'
echo '--- manually, before a commit'
echo '# more' >>greet.sh
rg-review --now; echo "status $?"
echo '--- a reviewer without a usable decision approves nothing'
echo 'echo LGTM' >"$T/reviewer"
echo '# still more' >>greet.sh
rg-review --now; echo "status $?"
