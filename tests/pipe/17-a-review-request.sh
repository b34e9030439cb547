# rg-review-state request: the review request for the current files; with --files every changed file.
. "$LIB/client.sh"
repository
start
prompt '#review tidy up'
echo 'echo "hello $1" # tidy' >greet.sh
git rm -q test.sh && echo 'test "$(sh greet.sh Ada)" = "hello Ada"' >test.sh
mkdir docs && echo '# Greeting' >docs/greet.md
rg-review-state request | sed '/^## Your reply/,$d'
echo '--- every file'
rg-review-state request --files
