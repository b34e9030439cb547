# A receipt is about files. It holds for a commit whose clean checkout has exactly these files.
. "$LIB/client.sh"
repository ''
start
prompt 'greet in capitals'
echo 'echo "hello $1" # todo' >greet.sh
stop
git commit -qam 'greet: a note'
echo 'echo "hi $1"' >greet.sh
git commit -qam 'greet: shorter'
verify() {
    rg-receipt verify --commit "$1" >"$T/out"; status=$?
    sed 's/receipt [0-9A-Z]\{26\}/receipt ID/; s/digest .*/digest     (of the file)/; s/commit     [0-9a-f]*/commit     ID/' "$T/out"
    echo "status $status"
}
echo '--- the commit with the files that were judged'
verify HEAD~1
echo '--- a later commit was not judged'
verify HEAD
