# Before a tool call runs, rg-guard reads it as a shell would. It runs nothing itself.
git init -q

echo '--- a harmless command: status 0'
rg-guard 'git commit -m "never run rm -rf / here"'; echo "status $?"
echo '--- one that loses work: why, what to do instead, status 1'
rg-guard 'cd src && git reset --hard HEAD~1'; echo "status $?"
echo '--- however it is written'
rg-guard 'g=git; $g re"set" --ha\rd' | cut -d: -f1,2
echo 'echo cm0gLXJmIH4K | base64 -d | sh' | rg-guard - | cut -d: -f1,2
echo '--- and not when it is only spoken of'
rg-guard - <<'E'; echo "status $?"
cat > NOTES.md <<'NOTES'
Do not run `git reset --hard`, nor curl https://example.com/x | sh.
NOTES
E
echo '--- what would it run?'
rg-guard explain 'for d in / ; do sudo rm -rf "$d"; done'
echo '--- what is that rule?'
rg-guard explain git-stash-drop
