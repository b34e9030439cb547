# rg-run: no turn starts once the budget of the run, or that of the day, is spent.
. "$LIB/run.sh"
repository ''
mkdir "$T/bin"
cat >"$T/bin/claude" <<'X'
#!/bin/sh
cat >/dev/null; echo no >greet.sh
echo '{"type":"result","result":"I am done.","total_cost_usd":0.75,"usage":{"input_tokens":400,"output_tokens":200}}'
X
chmod +x "$T/bin/claude"
export PATH="$T/bin:$PATH"
spend() { git checkout -q .; rg-run --builder claude "$@" >"$T/steps"; status=$?; steps <"$T/steps"; echo "status $status"; }
echo '--- 0.75 dollars a turn, one dollar for the run'
spend --budget 1usd greet
echo '--- two dollars for the day'
spend --budget 2usd/day greet
echo '--- tokens for the run'
spend --budget 600 greet
