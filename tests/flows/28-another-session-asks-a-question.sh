# One session works; another one in the same directory answers a question, and calls only tools that read.
session s1 $$
project
prompt 'break nothing'
echo '// broken for a moment' >>src/add.js
session s2 52525252
start
prompt 'what does add do?'
tool Read "{\"file_path\":\"$PWD/src/add.js\"}"
stop
session s1 $$
sed -i '/broken/d' src/add.js
echo '// adds' >>src/add.js
stop
