# A formatter indents the tests with tabs and changes the quotes.
project
prompt 'format everything'
sed -i "s/^  /\t/; s/'/\"/g" test/*.js
stop
