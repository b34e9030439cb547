# A snapshot of a test framework is updated and an obsolete one is removed.
project
mkdir -p test/__snapshots__
printf 'exports[`add 1`] = `3`;\n' >test/__snapshots__/add.test.js.snap
printf 'exports[`gone 1`] = `3`;\n' >test/__snapshots__/gone.test.js.snap
commit snapshots
prompt 'update the snapshots'
printf 'exports[`add 1`] = `4`;\n' >test/__snapshots__/add.test.js.snap
git rm -q test/__snapshots__/gone.test.js.snap
stop
