earlier=$0.before-review-gate
if [ -x "$earlier" ]; then
    "$earlier" "$@" || exit
elif [ -f "$earlier" ]; then
    # A manager of hooks that runs its files with sh gives them no mode.
    sh -e "$earlier" "$@" || exit
fi
if ! [ -x BIN/rg-answer ]; then
    echo "review-gate: no program in "BIN": not judged. Run \`rg-install git\` again, or \`rm '$0'\`" >&2
    exit 0
fi
