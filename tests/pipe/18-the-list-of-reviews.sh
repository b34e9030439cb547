# rg-review-state list: the decisions; with --reviewers how often each reviewer was refuted.
. "$LIB/client.sh"
repository
start
prompt '#review shout'
rg-review-state list
echo 'echo "hello $1" ' >greet.sh
call x; begins a1; says a1 "$(approval greet.sh)"
call x; begins a2
says a2 "$(issues '{"severity":"major","path":"greet.sh","description":"a blank at the end","how_to_verify":"cat -A greet.sh"}')"
call x; begins a3; echo '#' >>greet.sh; says a3 "$(approval greet.sh)"
rg-review-state list
rg-review-state list --reviewers
