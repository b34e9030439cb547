# An agent works until its work is judged done. The gate decides; the limits of the run end it.
. "$LIB/client.sh"
repository ''
cat >../agent.sh <<'END'
n=$(cat ../n 2>/dev/null || echo 0); n=$((n + 1)); echo $n >../n
cat >../prompt
case $n in 1) echo 'echo "hi $1"' >greet.sh ;; *) echo 'printf "hello %s\n" "$1"' >greet.sh ;; esac
echo "round $n"
END
shown() {
    sed 's/"run":"[^"]*"/"run":"RUN"/g;s/"root":"[^"]*"/"root":"ROOT"/;s/"[0-9a-f]\{64\}"/"DIGEST"/g
        s/"base":"[0-9a-f]*"/"base":"COMMIT"/;s/"receipt":"[^"]*"/"receipt":"ID"/g;s/, [0-9.]* s)/, T)/g
        s/"seconds":[0-9.]*/"seconds":S/'
}
echo '--- what would be started'
rg-run --rounds 5 --budget 2usd --dry-run 'print it with printf' -- sh ../agent.sh | sed 's/^root: .*/root: ROOT/'
echo '--- done in the second round'
rg-run 'print it with printf' -- sh ../agent.sh >../out; status=$?
shown <../out; echo "status $status"
echo '--- what the agent read in it'
sed -n '/^# Earlier/,$p' ../prompt | sed 's/, [0-9.]* s)/, T)/g;s/show [0-9A-Z]*/show ID/'
echo '--- red to the last round'
git checkout -q .
rg-run --rounds 1 'print it with printf' -- sh -c 'echo no >greet.sh' >../out; status=$?
tail -n 1 ../out | shown; echo "status $status"
echo '--- an agent that changes nothing'
git checkout -q .
rg-run 'print it with printf' -- true >../out; status=$?
tail -n 1 ../out | shown; echo "status $status"
