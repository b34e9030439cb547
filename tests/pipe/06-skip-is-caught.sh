# An agent skips a test that it cannot make pass. Its stop is bounced with the file and the line, even if all checks pass.
minute=0
stop() {
    minute=$((minute + 1)); export RG_NOW="2026-11-21T12:0$minute:00Z"
    printf '{"hook_event_name":"Stop","session_id":"s1","cwd":"%s","last_assistant_message":"done"}' "$PWD" |
        rg-event --client claude --within 3560 | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer --client claude --kind stop |
        sed 's/\\n/\n/g; s/","systemMessage.*/"/; s/rg-receipt show .*/rg-receipt show ID`/' | grep -v '^If you cannot\|^Next'
}
git init -q
printf '```yaml\nchecks:\n  - {name: tests, run: sh run-tests}\n```\n' >DONE.md
printf '! grep -L skip test/*.js | grep -q . || echo "1 failed: adds"; grep -q skip test/*.js\n' >run-tests
mkdir test
printf "it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\nit('subtracts', () => {\n  expect(sub(3, 2)).toBe(1);\n});\n" >test/sum.test.js
git add -A && git commit -qm start

echo '--- a prompt of the user: the files become the baseline'
printf '{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"%s","prompt":"make it pass"}' "$PWD" |
    rg-event --client claude | rg-tamper | rg-answer --client claude --kind prompt

echo '--- the test is skipped: all checks pass'
sed -i "s/it('adds'/it.skip('adds'/" test/sum.test.js
stop

echo '--- the change is committed: the baseline stays'
git commit -qam 'make the tests pass'
stop

echo '--- the test file is renamed so that the runner misses it'
git checkout -q HEAD~1 -- test && git mv test/sum.test.js sum.js.off && git commit -qm 'move a file'
stop

echo '--- the change is reverted: done'
git checkout -q HEAD~2 -- test && git rm -qf sum.js.off
sed -i 's/grep -q skip.*/true/' run-tests
stop
rg-receipt list | cut -d' ' -f4-
