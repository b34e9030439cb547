# Fixtures and helpers that no test uses are removed.
project
mkdir -p test/fixtures
echo '{}' >test/fixtures/old.json && echo 'exports.h = 1;' >test/helper.js && commit fixtures
prompt 'remove what no test uses'
git rm -qr test/fixtures test/helper.js
stop
