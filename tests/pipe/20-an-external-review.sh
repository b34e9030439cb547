# rg-review-state adopt: a user takes over a review that CI or another user made of exactly the same files.
. "$LIB/client.sh"
repository 'review: {command: "sh ../reviewer"}
'
cat >"$T/reviewer" <<'X'
[ ! -e ../offline ] || exit 1
in=$(cat); p=$(echo "$in" | sed -n 's/^# Review request //p'); n=$(echo "$in" | sed -n 's/.*"nonce": "\([0-9A-Z]*\)".*/\1/p')
printf '{"decision":"approve","request":"%s","nonce":"%s","summary":"good","reviewed":["greet.sh"]}' "$p" "$n"
X
start
prompt '#review greet'
echo 'echo "hello $1" # friendly' >greet.sh
echo '--- elsewhere: a manual pipeline and its receipt'
(
    export RG_STATE="$T/ci" RG_REVIEW=1
    rg-event stop --against main | rg-tamper | rg-check | rg-review-state | rg-review | rg-receipt | rg-answer | sed -n 2p
)
receipt=$(echo "$T"/ci/receipts/*.json)
echo '--- here no reviewer is available'
touch "$T/offline"
stop
echo '--- a user adopts the review; an agent cannot'
rg-review-state adopt --why x "$receipt" </dev/null; echo "status $?"
script -qec "rg-review-state adopt --why 'CI saw it' '$receipt'" /dev/null </dev/null | tr -d '\r' | sed 's/of receipt .* in task .*/of receipt ... in task .../'
stop
rg-receipt show --json | sed -n '/"trust"/p'
echo '--- it counts only for those files'
echo '#' >>greet.sh
script -qec "rg-review-state adopt --why 'CI saw it' '$receipt'" /dev/null </dev/null | tr -d '\r' | sed 's/.*json is/... is/'
