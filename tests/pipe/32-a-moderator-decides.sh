# rg-review: the same issue stays open for two rounds, and a moderator decides; whether it may accept the work is a key of DONE.md.
. "$LIB/client.sh"
model reviewer "$(rejects 'it is too quiet')"
for case in 'accept_builder true' 'accept_builder false' 'accept_reviewer false' 'reject_both false'; do
    decision=${case% *} may=${case#* }
    echo "--- $decision, moderator_waives: $may"
    waives=''
    if [ "$may" = true ]; then waives=', moderator_waives: true'; fi
    mkdir "$T/$decision.$may" && cd "$T/$decision.$may" || exit 1
    export RG_STATE="$T/state.$decision.$may"
    tests_repository "review: {command: \"sh ../reviewer\", moderator: \"sh ../moderator\"$waives}
"
    model moderator "answers '\"decision\":\"$decision\",\"reasoning\":\"I read both.\"'"
    start
    prompt '#review greet'
    echo 'echo "hello $1" # one' >greet.sh
    stop >/dev/null
    echo 'echo "hello $1" # two' >greet.sh
    stop | sed -n '1,4p'
    rg-receipt show | sed -n 1p
done
