# rg-init writes a DONE.md whose checks passed here. What fails, and what is left out, stands there as a comment.
git init -q
mkdir -p vendor/bin
printf '#!/bin/sh\ngrep -q works src.txt && echo "OK (1 test, 1 assertion)"\n' >vendor/bin/phpunit
printf '#!/bin/sh\necho "src.txt:1: error: too short"; exit 1\n' >vendor/bin/phpstan
chmod +x vendor/bin/*
touch phpunit.xml phpstan.neon
echo '{"scripts": {"deploy": "scp src.txt host:"}}' >package.json
echo works >src.txt
echo '--- no DONE.md'
rg-check --now; echo "status $?"
echo '--- a proposal'
rg-init --dry-run; echo "status $?"
git status --short
echo '--- write it'
rg-init; echo "status $?"
rg-check --validate
rg-check --now; echo "status $?"
echo '--- it is not replaced'
rg-init; echo "status $?"
