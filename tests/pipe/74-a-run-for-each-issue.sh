# rg-run --each issue --parallel 2 --land: the ready issues are claimed, worked on in worktrees, landed and closed.
. "$LIB/run.sh"
repository ''
cat >test.sh <<'X'
for f in *.txt; do grep -q fixed "$f" || { echo "$f:1: not fixed"; exit 1; }; done
X
echo fixed >a.txt && git add -A && git commit -qm rules
one=$(rg-issue new 'alpha is missing') two=$(rg-issue new 'beta is missing') bad=$(rg-issue new 'wrong is missing')
rg-issue dep "$one" blocks "$two" >/dev/null
agent 'goal=$(sed -n "/^# Goal/{n;n;p;}" '"$T"'/prompt.$n | head -n 1); word=${goal%% *}
[ $word = wrong ] && echo no >$word.txt || echo fixed >$word.txt; echo "I added $word.txt."'
echo '--- what would be started'
rg-run --each issue --parallel 2 --land --dry-run -- sh "$T/agent.sh" | sed -n '2,5s/[0-9A-Z]\{26\}/ISSUE/p;/worktree\|landing/p'
rg-run --each issue --parallel 2 --land --rounds 1 -- sh "$T/agent.sh" >"$T/steps"
echo "status $?"
sed -n 's/.*"state":"item".*"title":"\([^"]*\)".*"outcome":"\([^"]*\)","status":\([0-9]*\).*"landed":\([a-z]*\).*/\1: \2, status \3, landed \4/p' "$T/steps" | sort
sed -n 's/.*"state":"summary",.*\("items".*\)}/\1/p' "$T/steps"
git log --format=%s | sort
for id in "$one" "$two" "$bad"; do rg-issue show "$id" | sed -n '1,2s/[0-9A-Z]\{26\}/ISSUE/gp'; done
git worktree list | sed 1d | wc -l | tr -d ' '
