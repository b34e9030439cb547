# Messages as they come, those of a jwz store, and what the programs post where the talk was initialised.
. "$LIB/client.sh"
repository ''
rg-msg init
mkdir .jwz
cat >.jwz/messages.jsonl <<'STORE'
{"type":"topic","id":"01ARZ3NDEKTSV4RRFFQ69G5FA0","name":"design","description":"what we build","created_at":1764000000000}
{"type":"message","id":"01ARZ3NDEKTSV4RRFFQ69G5FA1","topic_id":"01ARZ3NDEKTSV4RRFFQ69G5FA0","parent_id":null,"body":"who takes it?","created_at":1764000001000,"sender":{"id":"x","name":"Bright Fox","model":"opus","role":"worker"},"git":null}
{"type":"message","id":"01ARZ3NDEKTSV4RRFFQ69G5FA2","topic_id":"01ARZ3NDEKTSV4RRFFQ69G5FA0","parent_id":"01ARZ3NDEKTSV4RRFFQ69G5FA1","body":"I do","created_at":1764000002000,"sender":null,"git":null}
STORE
echo '--- an import, and another one'
rg-msg import .
rg-msg import .
rg-msg export design
echo '--- messages as they come'
rg-msg follow design --quiet --timeout 60s >"$T/seen" 2>&1 &
follower=$!
# The follower may not have begun yet.
for _ in $(seq 200); do
    rg-msg post design -m 'it is done' >>"$T/posted"
    sleep 0.1
    [ ! -s "$T/seen" ] || break
done
kill "$follower"
grep -qxFf "$T/posted" "$T/seen" && echo 'a post was seen'
echo '--- what the gate posts'
echo '/.jwz/' >.gitignore
prompt 'go'
echo '# greets' >>greet.sh
stop
rg-msg list --quiet | sed -n 's/^task:.*/task/p'
rg-msg search --from gate --json | sed 's/.*"body":"\([^:]*\):.*/\1/'
