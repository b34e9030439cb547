# .gitattributes arrives, and the line endings of the tests are normalised.
project
sed -i 's/$/\r/' test/add.test.js
commit crlf
prompt 'use LF everywhere'
echo '* text=auto eol=lf' >.gitattributes
sed -i 's/\r$//' test/add.test.js
git add --renormalize . && git commit -qm lf
stop
