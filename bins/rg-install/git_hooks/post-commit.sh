BIN/rg-receipt verify --commit HEAD 2>/dev/null |
    sed -n 's/^receipt /review-gate: these files were judged: receipt /p; s/^NO  commit *[0-9a-f]*: /review-gate: /p' >&2
exit 0
