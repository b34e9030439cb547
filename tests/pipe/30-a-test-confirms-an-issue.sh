# rg-review: the agent contests an issue, and the arbiter shows it with a test, which stays in the working tree.
. "$LIB/client.sh"
tests_repository 'review: {command: "sh ../reviewer", arbiter: "sh ../arbiter"}
'
model reviewer "$(rejects 'nobody is greeted without a name')"
model arbiter 'answers "$(cat ../arbiter.case)"'
cat >"$T/arbiter.case" <<'X'
"test":"nobody_is_the_world","explanation":"without a name it prints hello and a space",
"test_patch":"--- /dev/null\n+++ b/tests/nobody.sh\n@@ -0,0 +1,2 @@\n+# nobody_is_the_world\n+test \"$(sh greet.sh)\" = 'hello world'\n",
"control_patch":"--- a/greet.sh\n+++ b/greet.sh\n@@ -1 +1 @@\n-echo \"hello $1\" # two\n+echo \"hello ${1:-world}\"\n"
X
start
prompt '#review greet everybody'
echo 'echo "hello $1" # two' >greet.sh
echo '--- the reviewer raises an issue'
stop
echo '--- the agent contests it'
key=$(rg-review-state list --json | sed -n 's/.*"key":"\([0-9a-f]*\)".*/\1/p')
stop "It is fine.

CONTEST $key: every caller gives a name"
cat tests/nobody.sh
echo '--- the test stays until it passes'
stop | sed -n 1,4p
model reviewer 'answers "\"decision\":\"approve\",\"summary\":\"good\",$reviewed"'
echo 'echo "hello ${1:-world}"' >greet.sh
rg-review-state list --reviewers
stop
