# rg-review-state show: how it stands, and what is open. The status is 0 only where nothing is owed any more.
. "$LIB/client.sh"
repository
start
prompt '#review shout'
rg-review-state show; echo "status $?"
echo 'echo "hello $1"!' >greet.sh && sed -i 's/Ada"$/Ada!"/' test.sh
echo '--- changed'
rg-review-state show; echo "status $?"
call x; begins a1
says a1 "$(issues '{"severity":"critical","path":"greet.sh","description":"it shouts at everybody","how_to_verify":"run it"}' | sed 's/"greet.sh"\]/"greet.sh","test.sh"]/')"
echo '--- rejected'
rg-review-state show; echo "status $?"
echo '--- no review'
prompt '#review:stop'
rg-review-state show; echo "status $?"
