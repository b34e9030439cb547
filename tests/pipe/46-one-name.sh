# One name for all programs: review-gate starts them, and the line of a hook.
git init -q && printf '```yaml\nchecks:\n  - {name: tests, run: test -e fixed}\n```\n' >DONE.md && git add -A && git commit -qm start
echo '--- the checks'
review-gate check --now; echo "status $?"
echo '--- may this command run?'
review-gate guard explain 'git reset --hard' | head -n 1
echo '--- what runs when Gemini CLI ends a turn'
review-gate hook --print gemini AfterAgent | tr '|' '\n' | sed "s/^ *'[^']*'.//"
echo '--- an unknown name'
review-gate chekc 2>&1 | cut -c 1-70
