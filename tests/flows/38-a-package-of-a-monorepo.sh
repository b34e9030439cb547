# The agent works in a package of a monorepo, from the directory of that package.
project 'checks:
  - {name: all, run: sh run.sh}'
mkdir -p packages/a/src packages/b/src
echo 'export const a = 1;' >packages/a/src/a.js
echo 'export const b = 1;' >packages/b/src/b.js
commit packages
cd packages/a
prompt 'change a'
echo 'export const a = 2;' >src/a.js
stop
