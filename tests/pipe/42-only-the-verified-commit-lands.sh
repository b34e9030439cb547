# Two worktrees, two branches that pass. Each lands only after it was verified on top of the base.
git init -q && printf '```yaml\nchecks:\n  - {name: tests, run: sh test.sh}\n```\n' >DONE.md
echo '[ ! -e one ] || [ ! -e three ]' >test.sh && git add -A && git commit -qm start
git clone -q --bare . ../remote.git && git remote add origin ../remote.git && git fetch -q
for name in one two three; do
    tree=$(rg-worktree create $name)
    (cd "$tree" && echo $name >$name && git add -A && git commit -qm "add $name")
done
land() { rg-land "$@" | sed 's/landed [0-9a-f]*/landed COMMIT/; s/land [0-9a-f]\{12\}/land COMMIT/; s/show [0-9A-Z]*/show RECEIPT/; s/ on [0-9a-f]\{12\}$/ on COMMIT/; s/landed\/.*/landed\/COMMIT/'; }
echo '--- what would happen'
land --dry-run rg/one
echo '--- the first lands as it is, the second is rebased on it'
land rg/one
land rg/two
git log --format=%s origin/main
echo '--- it passes alone and fails with the first: it does not land'
rg-land rg/three; echo "status $?"
git status --short
rg-worktree list | sed 's/  .*  /  /'
echo '--- an uncommitted file'
echo x >.worktrees/three/draft
rg-land rg/three; echo "status $?"
