# A script becomes executable, and a symbolic link appears.
project
prompt 'make run.sh executable and link it'
chmod +x run.sh
ln -s run.sh check-all
stop
