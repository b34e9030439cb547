# rg-install edits Claude Code's settings file; everything else in it stays byte for byte.
git init -q && mkdir .claude
printf '{\n  "model": "opus", // mine\n  "hooks": {}\n}\n' >.claude/settings.json
cp .claude/settings.json before

echo '--- wire it'
rg-install claude 2>/dev/null # whether the programs are static is not what this shows
grep -c rg-answer .claude/settings.json
grep mine .claude/settings.json
echo '--- a second install changes nothing'
rg-install claude 2>/dev/null # whether the programs are static is not what this shows
echo '--- uninstall: byte for byte as before'
rg-install claude --uninstall
cmp before .claude/settings.json; echo "status $?"
echo '--- invalid settings are not changed'
echo '{"hooks":' >.claude/settings.json
rg-install claude; echo "status $?"
cat .claude/settings.json
