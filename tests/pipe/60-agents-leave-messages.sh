# Agents and people leave messages for each other. A topic is a file of lines; no server is needed.
. "$LIB/client.sh"
repository ''
rg-msg post task:12 --as builder --role worker --model opus -m 'the parser is done, the printer is not'
id=$(rg-msg post task:12 -m 'who takes the printer?')
CLAUDECODE=1 rg-msg reply "$id" -m 'I do' >answer
first=$(cat answer)
CLAUDECODE=1 rg-msg reply "$first" -m 'it is done' >>answer
printf 'two lines\nof a plan\n' | rg-msg post plan --as lead
echo '--- the topics'
rg-msg list
echo '--- a thread'
rg-msg thread "$id"
echo '--- a search'
rg-msg search 'print*' 'done'
echo '--- a torn line and a conflict marker are skipped'
printf '<<<<<<< ours\n{"id":"01' >>.review-gate/topic-plan.jsonl
rg-msg post plan --as lead -m 'and a third line'
rg-msg read plan
