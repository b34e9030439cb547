# rg-review-state verify: checks the approval of the current files and the journal that records it.
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
echo '--- a forged line breaks the chain, and no approval in the journal counts'
echo 'echo "hello $1" ' >greet.sh
sed -i 's/say it nicely/say it badly!/' "$T"/state/tasks/*.jsonl
rg-review-state verify | cut -c 1-24
stop | sed -n 2p
