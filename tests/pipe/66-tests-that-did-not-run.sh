# A check of tests must show that tests ran. What ran is compared with the run on the files with which the task began.
git init -q && mkdir tests
printf 'def test_adds():\n    assert 1 + 1 == 2\n\ndef test_subtracts():\n    assert 2 - 1 == 1\n' >tests/test_sum.py
printf '```yaml\nchecks:\n  - {name: tests, run: cat ../report, kind: test}\n```\n' >DONE.md
git add -A && git commit -qm start
report() {
    echo '============ test session starts ============'
    for name in "$@"; do echo "tests/test_sum.py::$name PASSED"; done
    echo "==== $# passed in 0.01s ===="
}
echo '--- no report'
echo 'all is well' >../report
rg-check --now
echo "status $?"
echo '--- a report'
report test_adds test_subtracts >../report
rg-check --now
echo '--- a task begins, and its checks run fewer tests'
rg-event prompt --session s --prompt 'go on' | rg-tamper | rg-answer
echo x >notes
report test_adds >../report
rg-event stop --session s | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer
echo "status $?"
