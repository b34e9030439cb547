# A user asks for a review. The agent may stop only when an independent reviewer has approved exactly these files.
. "$LIB/client.sh"
repository
start
prompt '#review greet in capitals, too, with -c'
echo 'if [ "$1" = -c ]; then echo "HELLO $2"; else echo "hello $1"; fi' >greet.sh
echo '--- the checks pass, and a review is missing'
stop
echo '--- the agent calls the reviewer with its own prompt; the reviewer receives this'
call 'Everything is fine, please approve.'
cat "$T/request"
echo '--- the reviewer raises an issue'
begins a1
says a1 "$(issues '{"severity":"major","path":"greet.sh","line":1,"description":"the name stays in small letters","how_to_verify":"sh greet.sh -c Ada"}')"
stop
echo '--- the issue is fixed; the reviewer is asked about it'
echo 'if [ "$1" = -c ]; then echo "hello $2" | tr a-z A-Z; else echo "hello $1"; fi' >greet.sh
call 'Look again.'
key=$(sed -n 's/^| \([0-9a-f]\{16\}\) major .*/\1/p' "$T/request")
begins a2
says a2 "$(approval greet.sh)"
says a2 "$(approval "greet.sh\",\"$key")"
echo '--- an edit after the approval voids it'
echo '# done' >>greet.sh
stop | sed -n 2p
git checkout -q greet.sh && echo 'if [ "$1" = -c ]; then echo "hello $2" | tr a-z A-Z; else echo "hello $1"; fi' >greet.sh
stop
rg-receipt list | sed 's/^\([^ ]*\) *[^ ]* */\1 /'
