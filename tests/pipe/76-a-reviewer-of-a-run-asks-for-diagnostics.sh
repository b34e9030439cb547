# rg-run: a reviewer that is unsure asks for the output of a command that DONE.md declares, and then decides.
. "$LIB/run.sh"
tests_repository 'review: {when: always, by: command, command: "sh ../reviewer"}
diagnostics: [{name: spoken, run: sh greet.sh Eve}]
'
model reviewer 'printf "%s\n" "$in" | sed -n "/hello Eve/p" | grep -v "^|.*echo" >../heard
if [ -s ../heard ]; then answers "\"decision\":\"approve\",\"summary\":\"I heard it\",$reviewed"
else answers "\"decision\":\"unsure\",\"summary\":\"what does it say to Eve?\",\"diagnostics_needed\":[\"spoken\"],$reviewed"; fi'
agent 'echo "echo \"hello \$1\" # louder" >greet.sh; echo "It is louder."'
go 'speak up'
cat ../heard
