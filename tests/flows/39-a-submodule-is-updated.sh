# A submodule is moved to a newer commit.
git init -q "$T/lib" && (cd "$T/lib" && echo 1 >v && git add -A && git commit -qm one)
project
git submodule --quiet add "$T/lib" lib && commit submodule
(cd "$T/lib" && echo 2 >v && git commit -qam two)
prompt 'update lib'
git -C lib pull -q
commit 'lib two'
stop
