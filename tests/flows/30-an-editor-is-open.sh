# An editor is open beside the agent: swap files, backups and lock files come and go while the checks run.
project 'checks:
  - {name: tests, run: "rm -f src/.add.js.swp; : >src/.sub.js.swp; rm -f \"src/.#add.js\"; sh run.sh"}'
prompt 'document add'
: >src/.add.js.swp
: >src/add.js~
ln -s user@host.1:1 'src/.#add.js'
echo '// adds' >>src/add.js
stop
