# A pull brings a commit of somebody else that removes an obsolete test. It was fetched before the task began.
project
git init -q --bare "$T/origin.git"
git remote add origin "$T/origin.git" && git push -qu origin main
git clone -q "$T/origin.git" "$T/other"
(cd "$T/other" && git rm -q test/sub.test.js && git commit -qm 'an obsolete test' && git push -q)
git fetch -q
prompt 'pull, then document add'
git merge -q --ff-only origin/main
echo '// adds two numbers' >>src/add.js
stop
