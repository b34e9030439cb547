# rg-review: a test of the arbiter refutes an issue. It is remembered: raised again, it does not block.
. "$LIB/client.sh"
tests_repository 'review: {command: "sh ../reviewer", arbiter: "sh ../arbiter"}
'
model reviewer "$(rejects 'two names are lost')"
model arbiter 'answers "$(cat ../arbiter.case)"'
cat >"$T/arbiter.case" <<'X'
"test":"two_names","explanation":"both names are printed",
"test_patch":"--- /dev/null\n+++ b/tests/two.sh\n@@ -0,0 +1,2 @@\n+# two_names\n+test \"$(sh greet.sh 'Ada Eve')\" = 'hello Ada Eve'\n",
"control_patch":"--- a/greet.sh\n+++ b/greet.sh\n@@ -1 +1 @@\n-echo \"hello $1\" # two\n+echo \"hello ${1%% *}\"\n"
X
start
prompt '#review greet two'
echo 'echo "hello $1" # two' >greet.sh
stop | sed -n 2p
key=$(rg-review-state list --json | sed -n 's/.*"key":"\([0-9a-f]*\)".*/\1/p')
echo '--- the agent contests it; the reviewer says the same again'
stop "CONTEST $key: I tried it"
rg-receipt show | sed -n '1p;/two names/p'
ls tests
task=$(basename "$(echo "$RG_STATE"/tasks/*.jsonl)" .jsonl)
rg-review-state list --reviewers --task "$task"
