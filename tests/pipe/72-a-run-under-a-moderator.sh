# rg-run: the same issue stays open for two rounds, and the moderator decides. Without a terminal, a person's decision ends the run.
. "$LIB/run.sh"
model reviewer "$(rejects 'it is too quiet')"
for case in 'accept_builder true' 'accept_builder false' 'accept_reviewer false' 'reject_both false' 'human false'; do
    decision=${case% *} may=${case#* }
    echo "--- $decision, moderator_waives: $may"
    waives='' by='"sh ../moderator"'
    if [ "$may" = true ]; then waives=', moderator_waives: true'; fi
    if [ "$decision" = human ]; then by=human; fi
    mkdir "$T/$decision.$may" && cd "$T/$decision.$may" || exit 1
    export RG_STATE="$T/state.$decision.$may"
    tests_repository "review: {when: always, by: command, command: \"sh ../reviewer\", moderator: $by$waives}
"
    model moderator "answers '\"decision\":\"$decision\",\"reasoning\":\"I read both.\"'"
    agent 'echo "echo \"hello \$1\" # $n" >greet.sh; echo "round $n"'
    go --rounds 3 greet
done
