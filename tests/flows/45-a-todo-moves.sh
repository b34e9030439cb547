# A function with its TODO and its lint suppression moves to another file.
project
printf '// TODO: faster\n// eslint-disable-next-line no-bitwise\nexport const or = (a, b) => a | b;\n' >src/bits.js
commit bits
prompt 'move or into src/or.js'
git mv src/bits.js src/or.js
echo '// one function a file' >>src/or.js
stop
