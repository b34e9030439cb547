base=$(git rev-parse --quiet --verify '@{upstream}') ||
    base=$(git rev-parse --quiet --verify "refs/remotes/$1/HEAD") ||
    base=$(git rev-parse --quiet --verify HEAD) || exit 0
BIN/rg-event stop --against "$base" </dev/null | BIN/rg-tamper | BIN/rg-check | BIN/rg-answer >&2
case $? in
0) ;;
1 | 3) echo 'review-gate: the push is refused. A user may push with `git push --no-verify`' >&2 && exit 1 ;;
*) echo 'review-gate: the push was not judged' >&2 ;;
esac
