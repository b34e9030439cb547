# The hooks of git judge commits of any editor and any agent. The hook that was there before runs first.
git init -q && git config core.hooksPath .git/hooks
printf '```yaml\nchecks:\n  - {name: tests, run: sh test.sh}\n```\n' >DONE.md
echo 'test -e fixed' >test.sh
git add -A && git commit -qm start
printf '#!/bin/sh\necho "my own hook"\n' >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
echo '--- install'
rg-install git | sed "s|$PWD|.|"
echo '--- an honest commit'
echo 'test -e src' >>test.sh
git commit -qam 'more tests'
echo '--- the definition of done is deleted'
git rm -q DONE.md
git commit -qm 'no more checks'
echo "status $?"
git log --format=%s
echo '--- uninstall'
git reset -q --hard
rg-install git --uninstall | sed "s|$PWD|.|"
cat .git/hooks/pre-commit
