# Claude Code is wired by its own settings file; other people's settings stay to the letter.
git init -q && mkdir .claude
printf '{\n  "model": "opus", // mine\n  "hooks": {}\n}\n' >.claude/settings.json
cp .claude/settings.json before

echo '--- wire it'
rg-install claude 2>/dev/null # whether the programs are static is not what this shows
grep -c rg-answer .claude/settings.json
grep mine .claude/settings.json
echo '--- twice is once'
rg-install claude 2>/dev/null # whether the programs are static is not what this shows
echo '--- take it out: byte for byte as before'
rg-install claude --uninstall
cmp before .claude/settings.json; echo "status $?"
echo '--- settings that cannot be read are left'
echo '{"hooks":' >.claude/settings.json
rg-install claude; echo "status $?"
cat .claude/settings.json
