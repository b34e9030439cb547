# rg-review-state verify: whether the approval of these files stands, and the journal that it stands in.
. "$LIB/client.sh"
repository
start
prompt '#review say it nicely'
echo 'echo "hello $1" ' >greet.sh
call x; begins a1; says a1 "$(approval greet.sh)"
rg-review-state verify; echo "status $?"
echo '--- one more byte'
echo >>greet.sh
rg-review-state verify; echo "status $?"
echo '--- a forged line: the chain shows it, and no approval of that journal counts'
echo 'echo "hello $1" ' >greet.sh
sed -i 's/say it nicely/say it badly!/' "$T"/state/tasks/*.jsonl
rg-review-state verify | cut -c 1-24
stop | sed -n 2p
