# A worktree per task, beside the user's own work. It is removed only if nothing is lost.
git init -q && echo one >file && git add file && git commit -qm start
echo 'half a thought' >>file
echo '--- created, and found again'
rg-worktree create '#12 Fix login'
rg-worktree create '#12 Fix login'
rg-worktree create plain
git status --short
echo '--- work in it'
tree=.worktrees/plain
(cd "$tree" && echo two >two && git add two && git commit -qm two && echo draft >draft)
rg-worktree list
rg-worktree remove plain; echo "status $?"
echo '--- merged by the user, the draft is still there'
git stash -q && git merge -q rg/plain && git stash pop -q
rg-worktree remove plain; echo "status $?"
echo '--- --force saves a backup first and prints how to check it out'
said=$(rg-worktree remove --force plain); echo "status $?"
echo "$said" | sed 's/01[0-9A-Z]*/ID/'
git show "$(git for-each-ref --format='%(refname)' refs/review-gate)":draft
echo '--- the rest'
rg-worktree prune
