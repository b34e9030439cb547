# A guard without findings adds nothing to the verdict.
git init -q -b main
say() {
    printf '```yaml\nchecks:\n  - {name: tests, run: "true"}\n%s```\n' "$1" >DONE.md
    git add -A && git commit -qm step && echo "$1" | tr -d '\n' >>work.txt
    rg-event stop --against main | rg-tamper | rg-answer --format json | sed 's/.*"verdicts":\(\[[^]]*\]\).*/\1/; s/"snapshot":"[^"]*"//'
    rg-tamper --now --against main
    echo "status $?"
}
say ''
say 'guards: {protect: []}
'
say 'guards: {no_protected_edits: true}
'
echo '--- with a protected file'
say 'guards: {protect: ["*.txt"]}
'
