# The user asks to remove a feature with its tests, and waives the finding with the line that the message offers.
# needs: script
project
prompt 'remove sub and its tests'
git rm -q test/sub.test.js
stop
waive
stop
