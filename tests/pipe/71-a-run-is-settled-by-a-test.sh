# rg-run: the agent contests an issue. A test of the arbiter confirms it, or refutes it, which is remembered.
. "$LIB/run.sh"
yaml='review: {when: always, by: command, command: "sh ../reviewer", arbiter: "sh ../arbiter"}
'
contest='key=$(sed -n "s/.*CONTEST \([0-9a-f]*\):.*/\1/p" '"$T"'/prompt.$n | head -n 1)'
echo '--- confirmed: the test stays until it passes'
mkdir "$T/one" && cd "$T/one" && export RG_STATE="$T/state.one"
tests_repository "$yaml"
model arbiter 'answers "$(cat ../arbiter.case)"'
cat >"$T/arbiter.case" <<'X'
"test":"nobody_is_the_world","explanation":"without a name it prints hello and a space",
"test_patch":"--- /dev/null\n+++ b/tests/nobody.sh\n@@ -0,0 +1,2 @@\n+# nobody_is_the_world\n+test \"$(sh greet.sh)\" = 'hello world'\n",
"control_patch":"--- a/greet.sh\n+++ b/greet.sh\n@@ -1 +1 @@\n-echo \"hello $1\" # two\n+echo \"hello ${1:-world}\"\n"
X
model reviewer "if grep -q world greet.sh; then answers \"\\\"decision\\\":\\\"approve\\\",\\\"summary\\\":\\\"good\\\",\$reviewed\"; else
$(rejects 'nobody is greeted without a name')
fi"
agent 'echo "echo \"hello \$1\" # two" >greet.sh
'"$contest"'
if [ -e tests/nobody.sh ]; then echo "echo \"hello \${1:-world}\"" >greet.sh; echo done; elif [ "$key" ]; then echo "CONTEST $key: every caller gives a name"; fi'
go 'greet everybody'
cat tests/nobody.sh
echo '--- refuted: the reviewer says the same again, and it does not block'
mkdir "$T/two" && cd "$T/two" && export RG_STATE="$T/state.two"
tests_repository "$yaml"
cat >"$T/arbiter.case" <<'X'
"test":"two_names","explanation":"both names are printed",
"test_patch":"--- /dev/null\n+++ b/tests/two.sh\n@@ -0,0 +1,2 @@\n+# two_names\n+test \"$(sh greet.sh 'Ada Eve')\" = 'hello Ada Eve'\n",
"control_patch":"--- a/greet.sh\n+++ b/greet.sh\n@@ -1 +1 @@\n-echo \"hello $1\" # two\n+echo \"hello ${1%% *}\"\n"
X
model reviewer "$(rejects 'two names are lost')"
agent 'echo "echo \"hello \$1\" # two" >greet.sh
'"$contest"'
[ -z "$key" ] || echo "CONTEST $key: I tried it"'
go 'greet two'
receipt | sed -n '/two names/p'
