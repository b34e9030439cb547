# What is gated here, and what does not protect? rg-doctor shows it, and names what mends each problem.
git init -q && echo start >src.txt && git add -A && git commit -qm start
mkdir -p "$HOME/.claude"
short() { rg-doctor --brief | sed "s|$PWD|.|; s|; no hook.*||"; }
echo '--- nothing is set up'
short
echo '--- mend it'
rg-install claude >/dev/null 2>&1
printf '```yaml\nchecks:\n  - {name: tests, run: "make | tee log"}\n```\n' >DONE.md
short; rg-doctor >/dev/null; echo "status $?"
echo '--- and the check whose failure is lost'
sed -i 's/make | tee log/test -e fixed/' DONE.md
short; rg-doctor >/dev/null; echo "status $?"
echo '--- someone turns the hooks off'
echo '{"disableAllHooks": true}' >.claude/settings.local.json
review-gate | sed "s|$PWD|.|g; s|; no hook.*||"
rm .claude/settings.local.json
echo '--- do the hooks really reply, and do they block?'
live() { rg-doctor --brief --live | sed -n "s|$PWD|.|g; s| ([0-9.]* s)||; /^claude [A-Z]/p; /problem/p; /mend/p"; }
live
echo '--- someone replaces the judge of the stop by a program that passes everything on'
printf '#!/bin/sh\nexec cat\n' >cat-on && chmod +x cat-on
sed -i "s|'[^']*'/rg-check |$PWD/cat-on |" .claude/settings.json
live | grep -e 'claude Stop' -e 'of Stop'
