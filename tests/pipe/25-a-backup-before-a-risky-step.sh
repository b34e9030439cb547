# A backup before a risky step: by the user, and by rg-guard before a call that may lose work. A restore is byte for byte.
printf '```yaml\nchecks:\n  - {name: tests, run: "true"}\ncommands:\n  allow:\n    - {pattern: "git reset --hard", reason: "the agent may start over"}\n```\n' >DONE.md
git init -q
echo one >tracked.txt
git add -A && git commit -qm start
echo two >>tracked.txt
mkdir notes && echo 'an hour of thinking' >notes/plan.txt
ids() { sed 's/01[0-9A-Z]\{24\}/ID/g'; }

echo '--- saved; nothing else changed'
rg-rescue save --why 'before the great rename' | ids
git status --short
echo three >>tracked.txt
echo '--- a call that DONE.md allows: no output, and a backup of what it may lose'
printf '{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"%s","tool_name":"Bash","tool_input":{"command":"git reset --hard && rm -r notes"}}' "$PWD" |
    RG_NOW=2026-11-21T12:00:00.500Z rg-guard --hook --client claude
git reset -q --hard && rm -r notes
rg-rescue list | ids | sort
echo '--- what is lost?'
rg-rescue diff | grep '^[-+][^-+]'
echo '--- only the notes'
RG_NOW=2026-11-21T12:00:01.000Z rg-rescue restore notes | ids
cat notes/plan.txt
echo '--- everything, and back again'
RG_NOW=2026-11-21T12:00:02.000Z rg-rescue restore --from "$(rg-rescue list | sed -n 's/ .*great rename//p')" >"$T/said"
ids <"$T/said"
cat tracked.txt
RG_NOW=2026-11-21T12:00:03.000Z rg-rescue restore --from "$(sed -n 's/Undo it with .* \([0-9A-Z]*\)`$/\1/p' "$T/said")" | ids
cat tracked.txt
echo '--- an agent may not remove backups'
rg-guard 'rg-rescue prune --keep 0'; echo "status $?"
