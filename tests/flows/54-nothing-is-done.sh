# The agent answers a question and writes nothing.
project
prompt 'what is here?'
tool Bash '{"command":"ls"}'
stop
