# A large binary file is added.
project
prompt 'add the logo'
head -c 3000000 /dev/urandom >logo.png
stop
