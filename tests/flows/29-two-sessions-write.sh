# Two sessions write different files in one directory, and both stop with everything green.
project
prompt 'add sub'
session s2 52525252
start
prompt 'add mul'
echo 'export const mul = (a, b) => a * b;' >src/mul.js
session s1 42424242
echo 'export const sub = (a, b) => a - b;' >src/sub.js
stop
session s2 52525252
stop
