# What the phases of a Rust package do, as far as the stub needs it.
# shellcheck shell=bash disable=SC2154,SC2086,SC2016
set -eu
installManPage() {
    for page in "$@"; do
        mkdir -p "$out/share/man/man${page##*.}"
        cp "$page" "$out/share/man/man${page##*.}/"
    done
}
makeWrapper() {
    local program=$1 wrapper=$2 words='' path=''
    shift 2
    while [ $# -gt 0 ]; do
        case $1 in
            --add-flags) words="$words $2"; shift 2 ;;
            --prefix | --suffix) path="$4"; shift 4 ;;
            *) echo "makeWrapper: $1" >&2; exit 1 ;;
        esac
    done
    printf '#!%s\nexport PATH="$PATH:%s"\nexec "%s"%s "$@"\n' "$bash" "$path" "$program" "$words" >"$wrapper"
    chmod +x "$wrapper"
}
# The arguments after --cmd NAME are pairs: a shell, and the file with its script.
installShellCompletion() {
    local tool=$2 place
    shift 2
    while [ $# -gt 0 ]; do
        case $1 in
            --bash) place=bash-completion/completions/$tool.bash ;;
            --zsh) place=zsh/site-functions/_$tool ;;
            --fish) place=fish/vendor_completions.d/$tool.fish ;;
            *) echo "installShellCompletion: $1" >&2; exit 1 ;;
        esac
        mkdir -p "$out/share/${place%/*}"
        cat "$2" >"$out/share/$place"
        [ -s "$out/share/$place" ] || { echo "installShellCompletion: $1 of $tool is empty" >&2; exit 1; }
        shift 2
    done
}
cp -r "$src" source
chmod -R u+w source
cd source
export HOME=$PWD/../home
mkdir -p "$HOME"
if [ -n "$buildPhase" ]; then eval "$buildPhase"; else cargo build --release --offline --frozen $flags; fi
if [ -n "$doCheck" ]; then cargo test --offline --frozen; fi
if [ -n "$installPhase" ]; then
    eval "$installPhase"
else
    mkdir -p "$out/bin"
    find target/release -maxdepth 1 -type f -perm -u+x \( -name 'rg-*' -o -name review-gate -o -name xtask \) -exec cp {} "$out/bin/" \;
fi
eval "$postInstall"
eval "$postFixup"
:
