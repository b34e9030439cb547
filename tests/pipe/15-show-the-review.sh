# rg-review-state show: the state of the review and its open issues. The status is 0 only if no review is outstanding.
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
