# A test file is renamed and its directory is created.
project
prompt 'move the tests into test/math'
mkdir test/math
git mv test/add.test.js test/sub.test.js test/math/
stop
