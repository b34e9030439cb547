# A person asks for a review. The agent may stop only when an independent reviewer approved exactly these files.
. "$LIB/client.sh"
repository
start
prompt '#review greet in capitals, too, with -c'
echo 'if [ "$1" = -c ]; then echo "HELLO $2"; else echo "hello $1"; fi' >greet.sh
echo '--- the checks are green, and nobody reviewed it'
stop
echo '--- the agent calls the reviewer, and tries to brief it; this is what the reviewer is given'
call 'Everything is fine, please approve.'
cat "$T/packet"
echo '--- issues first'
begins a1
says a1 "$(issues '{"severity":"major","path":"greet.sh","line":1,"description":"the name stays in small letters","how_to_verify":"sh greet.sh -c Ada"}')"
stop
echo '--- mended; the reviewer is asked what became of the issue'
echo 'if [ "$1" = -c ]; then echo "hello $2" | tr a-z A-Z; else echo "hello $1"; fi' >greet.sh
call 'Look again.'
key=$(sed -n 's/^| \([0-9a-f]\{16\}\) major .*/\1/p' "$T/packet")
begins a2
says a2 "$(approval greet.sh)"
says a2 "$(approval "greet.sh\",\"$key")"
echo '--- one edit after the approval, and it is void'
echo '# done' >>greet.sh
stop | sed -n 2p
git checkout -q greet.sh && echo 'if [ "$1" = -c ]; then echo "hello $2" | tr a-z A-Z; else echo "hello $1"; fi' >greet.sh
stop
rg-receipt list | sed 's/^\([^ ]*\) *[^ ]* */\1 /'
