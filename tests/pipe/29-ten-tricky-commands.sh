# What would really run, in ten commands that hide it or only seem to.
git init -q
tell() { printf '\n$ %s\n' "$1"; rg-guard explain "$1"; }

tell 'F=-rf; T=/; eval "r""m $F $T"'
tell 'git -c alias.x="!git reset --hard" x'
tell 'printf "%s" cm0gLXJmIH4= | base64 -d | bash'
tell 'find . -name "*.tmp" -exec sh -c '\''cd / && rm -rf "$@"'\'' _ {} +'
tell 'ssh build "cd /srv && sudo systemctl stop db && rm -rf /srv/*"'
tell 'python3 - <<E
import shutil, os
home = os.path.expanduser("~")
shutil.rmtree(home)
E'
tell 'W=$(mktemp -d); trap '\''rm -rf "$W"'\'' EXIT; cd "$W" && rm -rf ./* && git init -q'
tell 'docker run --rm -v /:/host alpine chroot /host sh -c "rm -rf /home"'
tell 'cat <<E > drop.sql
DROP TABLE users;
E
grep -c DROP drop.sql'
tell 'git push origin "+$(git branch --show-current):main"'
