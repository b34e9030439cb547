#!/bin/sh
# Installs a release archive of review-gate below a directory, after its checksum was verified. It needs no network.
# Every file is renamed into its place, so that a hook that runs at the same time finds its program.
set -eu
unset CDPATH
umask 022

usage='usage: install.sh [--prefix dir] [archive]
       install.sh [--prefix dir] --uninstall

Installs into ~/.local by default. Without an archive it takes the one beside this script that is made for this machine.
The file SHA256SUMS beside the archive must list its checksum.'

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    exit 1
}

misused() {
    printf 'install.sh: %s\n%s\n' "$1" "$usage" >&2
    exit 100
}

prefix='' archive='' verb=install
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ $# -gt 1 ] || misused '--prefix needs a directory'
            prefix=$2
            shift
            ;;
        --uninstall) verb=uninstall ;;
        --help)
            printf '%s\n' "$usage"
            exit 0
            ;;
        -*) misused "unknown option $1" ;;
        *)
            [ -z "$archive" ] || misused "one archive only: $1"
            archive=$1
            ;;
    esac
    shift
done
[ -n "$prefix" ] || prefix=${HOME:?HOME is not set. Pass --prefix dir}/.local
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac

# The list of the installed files, each by its path below the prefix.
list=$prefix/share/review-gate/files

# Prints the names on standard input that can be files of an archive of review-gate, and fails at any other one.
safe_names() {
    while IFS= read -r name; do
        case /$name/ in
            */../* | *//* | */./* | *[!A-Za-z0-9._/-]*) return 1 ;;
        esac
        case $name in
            bin/?* | share/?*) printf '%s\n' "$name" ;;
            *) return 1 ;;
        esac
    done
}

# Removes the files that standard input names, then their directories in share/review-gate if they are empty.
remove() {
    while IFS= read -r name; do
        rm -f "$prefix/$name"
    done
    [ ! -d "$prefix/share/review-gate" ] || find "$prefix/share/review-gate" -depth -type d -exec rmdir {} + 2>/dev/null || :
}

if [ $verb = uninstall ]; then
    [ -z "$archive" ] || misused "--uninstall takes no archive: $archive"
    [ -f "$list" ] || fail "no installation in $prefix: $list is missing"
    safe_names <"$list" >/dev/null || fail "$list names a file outside of the installation"
    names=$(cat "$list")
    printf '%s\n' "$names" share/review-gate/files | remove
    echo "removed $(printf '%s\n' "$names" | wc -l | tr -d ' ') files below $prefix"
    exit 0
fi

if [ -z "$archive" ]; then
    here=$(cd "$(dirname "$0")" && pwd)
    machine=$(uname -m)
    for archive in "$here"/review-gate-*-"$machine"-unknown-linux-musl.tar.gz; do :; done
    [ "$(uname -s)" = Linux ] || archive=''
    [ -f "$archive" ] || fail "no archive for $(uname -s) on $machine in $here. Name one: \`sh install.sh archive\`"
fi
[ -f "$archive" ] || fail "no such file: $archive"
name=$(basename "$archive")
sums=$(dirname "$archive")/SHA256SUMS
[ -f "$sums" ] || fail "$sums is missing: without it $name cannot be verified"

wanted=$(awk -v name="$name" '{ file = $2; sub(/^\*/, "", file) } file == name { print $1 }' "$sums")
[ -n "$wanted" ] || fail "$sums has no checksum of $name"
if command -v sha256sum >/dev/null 2>&1; then
    found=$(sha256sum <"$archive")
elif command -v shasum >/dev/null 2>&1; then
    found=$(shasum -a 256 <"$archive")
else
    fail 'neither sha256sum nor shasum is on PATH: install one of them'
fi
found=${found%% *}
[ "$found" = "$wanted" ] || fail "wrong checksum of $name: it is $found, and SHA256SUMS has $wanted. Nothing is installed. Download the archive again"

mkdir -p "$prefix/share/review-gate"
# In the prefix, so that each file can be renamed into its place.
work=$(mktemp -d "$prefix/share/review-gate/.unpacked.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
tar -xzf "$archive" -C "$work" || fail "unable to unpack $archive"
top=$(echo "$work"/review-gate-*)
[ -d "$top/bin" ] || fail "$name is no archive of review-gate"
(cd "$top" && find bin share ! -type d -print | LC_ALL=C sort) >"$work/found"
# Manuals and completions come before the programs that they describe.
{ grep -v '^bin/' "$work/found" && grep '^bin/' "$work/found"; } | safe_names >"$work/new" || fail "$name holds a file with an unexpected name"

# A link in the place of this directory would be followed.
[ ! -L "$prefix/share/review-gate/plugin/bin" ] || rm -f "$prefix/share/review-gate/plugin/bin"
while IFS= read -r file; do
    mkdir -p "$prefix/$(dirname "$file")"
    # A directory in the place of a file would swallow it.
    [ ! -d "$prefix/$file" ] || [ -L "$prefix/$file" ] || fail "$prefix/$file is a directory"
    mv -f "$top/$file" "$prefix/$file"
done <"$work/new"
# Files of an earlier version that this one no longer has.
if [ -f "$list" ] && safe_names <"$list" >"$work/old"; then
    LC_ALL=C sort "$work/old" >"$work/before"
    LC_ALL=C comm -23 "$work/before" "$work/found" | while IFS= read -r file; do rm -f "$prefix/$file"; done
fi
mv -f "$work/new" "$list"

echo "$(grep -c '^bin/' "$list") programs in $prefix/bin"
echo "manuals in $prefix/share/man; completions for bash, zsh and fish in $prefix/share"
echo "the plugin's files and the schemas in $prefix/share/review-gate"
echo "to remove everything: \`sh install.sh --prefix '$prefix' --uninstall\`"
case :${PATH:-}: in
    *:"$prefix/bin":*) ;;
    *) echo "not in PATH. Add to your shell's profile: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
