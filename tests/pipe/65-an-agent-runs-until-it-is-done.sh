# An agent works until its work is judged done. The gate decides; the limits of the run end it.
. "$LIB/client.sh"
repository ''
cat >../agent.sh <<'END'
n=$(cat ../n 2>/dev/null || echo 0); n=$((n + 1)); echo $n >../n
cat >../prompt
case $n in 1) echo try >src.txt ;; *) echo fixed >src.txt ;; esac
echo "round $n"
END
shown() { sed 's/"run":"[^"]*"/"run":"RUN"/;s/"root":"[^"]*"/"root":"ROOT"/;s/"[0-9a-f]\{64\}"/"DIGEST"/g;s/"base":"[0-9a-f]*"/"base":"COMMIT"/;s/"receipt":"[^"]*"/"receipt":"ID"/;s/([0-9.]* s)/(T)/g;s/, [0-9.]* s)/, T)/g'; }
echo '--- what would be started'
rg-run --rounds 5 --budget 2usd --dry-run 'fix src.txt' -- sh ../agent.sh | sed 's/^root: .*/root: ROOT/'
echo '--- done in the second round'
rg-run 'fix src.txt' -- sh ../agent.sh >../out; status=$?
shown <../out; echo "status $status"
echo '--- what the agent read in it'
sed -n '/^# Earlier/,$p' ../prompt | sed 's/([^)]* s)/(T)/g;s/show [0-9A-Z]*/show ID/'
echo '--- red to the last round'
git checkout -q src.txt
rg-run --rounds 1 'fix src.txt' -- sh -c 'echo no >src.txt' >../out; status=$?
tail -n 1 ../out | shown; echo "status $status"
echo '--- an agent that changes nothing'
git checkout -q src.txt
rg-run 'fix src.txt' -- true >../out; status=$?
tail -n 1 ../out | shown; echo "status $status"
