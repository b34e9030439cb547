# A library is copied into vendor/, with its own suppressions and skipped tests.
project
prompt 'vendor tiny-lib'
mkdir -p vendor/tiny-lib/test
printf '/* eslint-disable no-console */\nconsole.log("debug");\nmodule.exports = 1;\n' >vendor/tiny-lib/index.js
printf "it.skip('slow', () => {});\n" >vendor/tiny-lib/test/slow.test.js
stop
