# rg-trace follow: what a batch of runs does, in another terminal, while it does it.
. "$LIB/run.sh"
repository ''
agent 'echo "echo \"hello \$1\" # $n" >greet.sh; echo "I changed greet.sh."'
rg-trace follow >"$T/followed" 2>&1 &
follower=$!
n=0
while ! grep -qs waiting "$T/followed" && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done
printf 'say hello\n' | rg-run --each line --land -- sh "$T/agent.sh" | steps
n=0
while ! grep -q "done" "$T/followed" && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done
kill $follower
sed 's/[0-9A-Z]\{26\}/ID/g' "$T/followed"
