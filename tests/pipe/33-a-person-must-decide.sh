# rg-review: with "moderator: human" a review that comes to no end is left to the user.
. "$LIB/client.sh"
tests_repository 'review: {command: "sh ../reviewer", moderator: human}
'
model reviewer "$(rejects 'it is too quiet')"
start
prompt '#review greet'
echo 'echo "hello $1" # one' >greet.sh
stop >/dev/null
echo 'echo "hello $1" # two' >greet.sh
stop
rg-receipt show | sed -n 1p
