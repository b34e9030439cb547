//! Hostile and odd patches for rg-patch: each is refused, or applied as the allowed paths say. The files on disk decide.

use crate::patch::{Files, edit, files_below, patch, repo};
use crate::scratch::Scratch;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What must happen.
enum Want {
    /// Status 1, and this text.
    Refused(&'static str),
    /// Status 100, and this text.
    Malformed(&'static str),
    /// Status 0; these files get this content, or are removed.
    Applied(&'static [(&'static str, Option<&'static str>)]),
}
use Want::{Applied, Malformed, Refused};

/// One case: its name, a shell line that prepares the repository, the patch, what must happen.
struct Case(&'static str, &'static str, String, Want);

const TWO: Want = Applied(&[("src/a.txt", Some("two\n"))]);
const OUTSIDE: Want = Refused("`paths.allow` of DONE.md does not allow it");
const DENIED: Want = Refused("`paths.deny` of DONE.md denies it");

fn new(path: &str) -> String {
    format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+new\n")
}

/// A new symbolic link.
fn link(path: &str, target: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\nnew file mode 120000\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{target}\n\\ No newline at end of file\n"
    )
}

/// A change of the file at two names, as given.
fn named(old: &str, new: &str) -> String {
    format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-one\n+two\n")
}

fn git(path: &str, lines: &str) -> String {
    format!("diff --git a/{path} b/{path}\n{lines}")
}

fn moved(verb: &str, from: &str, to: &str) -> String {
    format!("diff --git a/{from} b/{to}\nsimilarity index 100%\n{verb} from {from}\n{verb} to {to}\n")
}

fn hunk(ranges: &str, body: &str) -> String {
    format!("--- a/src/a.txt\n+++ b/src/a.txt\n@@ {ranges} @@\n{body}")
}

/// Paths: where they lead, and how they are written.
fn paths() -> Vec<Case> {
    let case = |name, patch: String, want| Case(name, "", patch, want);
    vec![
        case("an allowed file", edit("src/a.txt"), TWO),
        case("outside of the allowed paths", edit("lib/x"), OUTSIDE),
        case("a sibling with the same beginning", edit("src-secrets/k"), OUTSIDE),
        case("a denied file in an allowed directory", edit("src/secret/k"), DENIED),
        case("a new file in a denied directory", new("src/secret/n"), DENIED),
        case("no prefix, allowed", named("src/a.txt", "src/a.txt"), TWO),
        case("no prefix, denied", named(".env", ".env"), DENIED),
        case("a directory that git apply would strip", named("z/.env", "z/.env"), DENIED),
        case("the same with git's header", format!("diff --git z/.env z/.env\n{}", named("z/.env", "z/.env")), DENIED),
        case("other prefixes", named("i/src/a.txt", "w/src/a.txt"), TWO),
        case("prefixes that exchange a directory", named("src/a.txt", "lib/a.txt"), OUTSIDE),
        case("times after the names", named("a/src/a.txt\t2026-01-01", "b/src/a.txt\t2026-01-02"), TWO),
        case("quoted, denied", named("\"a/src/secret/k\"", "\"b/src/secret/k\""), DENIED),
        case("octal, denied", named("\"a/\\163rc/secret/k\"", "\"b/\\163rc/secret/k\""), DENIED),
        case("octal, allowed", named("\"a/\\163rc/a.txt\"", "\"b/\\163rc/a.txt\""), TWO),
        case("octal dots", named("\"a/\\056\\056/outside\"", "\"b/\\056\\056/outside\""), Refused("outside with `..`")),
        case("a broken quotation", named("\"a/src/a.txt", "b/src/a.txt"), Malformed("quotation")),
        case("dots", edit("../outside"), Refused("outside with `..`")),
        case("dots inside", edit("src/../lib/x"), Refused("outside with `..`")),
        case("a dot", edit("src/./a.txt"), Refused("empty part")),
        case("an empty part", edit("src//a.txt"), Refused("empty part")),
        case("an absolute path", named("/etc/hostname", "/etc/hostname"), Refused("absolute")),
        case("an absolute path after the prefix", edit("/etc/hostname"), Refused("absolute")),
        case("a rename to an absolute path", moved("rename", "src/a.txt", "/tmp/rg-stolen"), Refused("absolute")),
        case(
            "a NUL byte",
            named("/dev/null", "\"b/src/x\\000y\"").replace("-1", "-0,0").replace("-one\n", ""),
            Refused("NUL"),
        ),
        case("a newline", new("x").replace("b/x", "\"b/src/x\\ny\""), Applied(&[("src/x\ny", Some("new\n"))])),
        case("a name that is too long", new(&format!("src/{}", "x/".repeat(3000) + "y")), Refused("too long")),
        case("a part that is too long", new(&format!("src/{}", "x".repeat(300))), Malformed("")),
        case("upper case, allowed in lower case", edit("SRC/a.txt"), OUTSIDE),
        case("upper case, denied in lower case", new("src/SECRET/k"), DENIED),
        Case(
            "decomposed, denied as composed",
            "sed -i 's/deny: \\[/deny: [caf\u{e9},/' DONE.md",
            new("src/cafe\u{301}/x"),
            DENIED,
        ),
        case("only a rename out of a denied file", moved("rename", ".env", "src/stolen.txt"), DENIED),
        case("only a rename into a forbidden place", moved("rename", "src/a.txt", "lib/a.txt"), OUTSIDE),
        case(
            "only a rename, allowed",
            moved("rename", "src/a.txt", "src/c.txt"),
            Applied(&[("src/a.txt", None), ("src/c.txt", Some("one\n"))]),
        ),
        case("a copy of a denied file", moved("copy", ".env", "src/stolen.txt"), Refused("as the source of a copy")),
        case("a copy, allowed", moved("copy", "src/a.txt", "src/c.txt"), Applied(&[("src/c.txt", Some("one\n"))])),
        case("only a mode, outside", git("lib/x", "old mode 100644\nnew mode 100755\n"), OUTSIDE),
        case(
            "a mode with the user's bit",
            git("src/a.txt", "old mode 100644\nnew mode 104755\n"),
            Refused("mode 104755"),
        ),
        case("a mode that is none", git("src/a.txt", "old mode 100644\nnew mode 10x755\n"), Malformed("not a mode")),
        case(
            "binary, outside",
            git("lib/x", "index 1..2 100644\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n"),
            OUTSIDE,
        ),
        case(
            "binary without full ids",
            git("src/a.txt", "index 1..2 100644\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n"),
            Refused("short ids"),
        ),
        case(
            "binary, unpacked to another size",
            git("src/a.txt", "index 1..2\nGIT binary patch\nliteral 9\nHcmV?d00001\n\n"),
            Malformed("unpacked"),
        ),
        case(
            "binary without its content",
            git("src/a.txt", "index 1..2\nBinary files a/src/a.txt and b/src/a.txt differ\n"),
            Malformed("--binary"),
        ),
    ]
}

/// The directories of git, of review-gate and of other repositories; links.
fn places() -> Vec<Case> {
    const GIT: Want = Refused("in git's own directory");
    const OWN: Want = Refused("decides about the gate");
    vec![
        Case("git's config", "", edit(".git/config"), GIT),
        Case("a hook", "", new(".git/hooks/post-checkout"), GIT),
        Case("git in upper case", "", edit(".GIT/config"), GIT),
        Case("git's short name", "", edit("git~1/config"), GIT),
        Case("git with a dot", "", edit(".git./config"), GIT),
        Case("git with a space", "", edit(".git /config"), GIT),
        Case("git with an invisible character", "", new(".g\u{200c}it/x"), GIT),
        Case("a nested git directory", "", new("src/.git/config"), GIT),
        Case(
            "git's directory under another name",
            "git init -q --separate-git-dir=src/store",
            new("src/store/x"),
            Refused("belongs to git"),
        ),
        Case("another repository", "git init -q src/nested", new("src/nested/f"), Refused("is another repository")),
        Case(
            "a bare repository",
            "git init -q --bare src/bare",
            new("src/bare/hooks/update"),
            Refused("is another repository"),
        ),
        Case(
            "a new bare repository",
            "",
            new("src/x/HEAD") + &new("src/x/objects/k") + &new("src/x/refs/k") + &new("src/x/config"),
            Refused("would make another repository"),
        ),
        Case(
            "the last part of a bare repository",
            "mkdir -p src/x/refs && echo x >src/x/HEAD",
            new("src/x/objects/k"),
            Refused("is another repository"),
        ),
        Case(
            "a new submodule",
            "",
            git("src/mod", "new file mode 160000\n--- /dev/null\n+++ b/src/mod\n@@ -0,0 +1 @@\n+Subproject commit 1\n"),
            Refused("submodule"),
        ),
        Case(
            "a file in a submodule that is not checked out",
            "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),src/mod && mkdir src/mod",
            new("src/mod/f"),
            Refused("in a submodule"),
        ),
        Case("DONE.md", "", edit("DONE.md"), OUTSIDE),
        Case("a new DONE.md in an allowed directory", "", new("src/DONE.md"), OWN),
        Case("the same in other letters", "", new("src/Done.MD"), OWN),
        Case("the file that switches loops off", "", new("src/.review-gate-disabled"), OWN),
        Case("messages", "", new("src/.review-gate/topic-a.jsonl"), OWN),
        Case("hook settings of a client", "", new("src/.claude/settings.json"), OWN),
        Case("a temporary file of a patch", "", new("src/.rg-patch-x.new"), OWN),
        Case(
            "through a link to a directory",
            "ln -s ../lib src/out",
            edit("src/out/x"),
            Refused("src/out is a symbolic link"),
        ),
        Case(
            "through a link out of the tree",
            "mkdir ../o && echo one >../o/f && ln -s ../../o src/out",
            edit("src/out/f"),
            Refused("src/out is a symbolic link"),
        ),
        Case("a link as a file", "ln -s ../lib/x src/l", edit("src/l"), Refused("it is a symbolic link, and")),
        Case(
            "a link in place of a file",
            "",
            git("src/a.txt", "index 1..2 120000\n--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-one\n+b.txt\n"),
            Refused("it is a file, and"),
        ),
        Case(
            "a new link to an absolute path",
            "",
            link("src/l", "/etc/passwd"),
            Refused("outside of the working tree"),
        ),
        Case("a new link out of the tree", "", link("src/l", "../../outside"), Refused("outside of the working tree")),
        Case("a new link to a forbidden file", "", link("src/l", "../lib/x"), OUTSIDE),
        Case("a new link into git", "", link("src/l", "../.git/config"), Refused("git's own directory")),
        Case("a new link to a directory", "mkdir src/d", link("src/l", "d"), Refused("it is a directory")),
        Case("a new link to nothing", "", link("src/l", "nothing"), Refused("does not exist")),
        Case("a new link, allowed", "", link("src/l", "a.txt"), Applied(&[("src/l", Some("link to a.txt"))])),
        Case("a link, and a file through it", "", link("src/l", "d") + &new("src/l/x"), Refused("")),
        Case("a file, and a file below it", "", new("src/n") + &new("src/n/x"), Refused("is a file in the same patch")),
        Case(
            "a file in place of a directory",
            "mkdir src/d && echo x >src/d/f",
            new("src/d"),
            Refused("it is a directory"),
        ),
        Case("a file below a file", "", new("src/a.txt/x"), Refused("is not a directory")),
        Case(
            "a FIFO",
            "mkfifo src/fifo",
            edit("src/fifo"),
            Refused("only regular files and symbolic links are patched"),
        ),
        Case(
            "a file that becomes a link",
            "",
            git("src/a.txt", "deleted file mode 100644\n--- a/src/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n")
                + &link("src/a.txt", "b.txt"),
            Applied(&[("src/a.txt", Some("link to b.txt"))]),
        ),
        Case(
            "filters of attributes",
            "git config filter.evil.smudge 'touch ../pwned; cat'; git config filter.evil.clean 'touch ../pwned; cat'; \
             echo '* filter=evil' >.git/info/attributes; git config core.autocrlf true",
            edit("src/a.txt"),
            TWO,
        ),
    ]
}

/// The form of a patch.
fn forms() -> Vec<Case> {
    let case = |name, patch: String, want| Case(name, "", patch, want);
    vec![
        case("nothing", String::new(), Malformed("no patch")),
        case("prose", "I have fixed it.\n".into(), Malformed("no patch")),
        case("zero bytes", "\0\0\0".into(), Malformed("no patch")),
        case("counts that are too small", hunk("-1 +1", " one\n+two\n"), Malformed("Write `@@ -1,1 +1,2 @@`")),
        case(
            "counts that end at an empty line",
            hunk("-1 +1", "-one\n+two\n\n+evil\n"),
            Malformed("looks like a part of the hunk"),
        ),
        case("counts that are too large", hunk("-1,9 +1,9", "-one\n+two\n"), Malformed("Write `@@ -1,1 +1,1 @@`")),
        case(
            "counts that hide a second file",
            hunk("-1,3 +1,5", &format!("-one\n+two\n{}", edit("lib/x"))),
            Malformed("the hunk has 1 and 1"),
        ),
        case(
            "counts that overflow",
            hunk("-1 +1,99999999999999999999", "-one\n+two\n"),
            Malformed("not a hunk header"),
        ),
        case("a hunk without a file", "@@ -1 +1 @@\n-one\n+two\n".into(), Malformed("before it")),
        case("a file without a hunk", "--- a/src/a.txt\n+++ b/src/a.txt\n".into(), Malformed("without a hunk")),
        case("git's header alone", git("src/a.txt", ""), Malformed("no change follows")),
        case("the end in a line", hunk("-1 +1", "-one\n+tw").trim_end().into(), Malformed("ends within a line")),
        case(
            "the end in a header",
            moved("rename", "src/a.txt", "src/c.txt").trim_end().into(),
            Malformed("ends within a line"),
        ),
        case("a hunk header without numbers", hunk("...", "-one\n+two\n"), Malformed("Write `@@ -10,3 +10,4 @@`")),
        case("the end in a hunk", hunk("-1,2 +1,2", "-one\n"), Malformed("counts 2 old")),
        case("both names are no file", named("/dev/null", "/dev/null"), Malformed("both names")),
        case("names that differ", named("a/src/a.txt", "b/src/b.txt"), Malformed("different files")),
        case(
            "git's header names another file",
            format!("diff --git a/src/b.txt b/src/b.txt\n{}", edit("src/a.txt")),
            Malformed("different files"),
        ),
        case(
            "a rename that names another file",
            moved("rename", "src/a.txt", "src/c.txt") + "--- a/src/a.txt\n+++ b/lib/x\n@@ -1 +1 @@\n-one\n+two\n",
            Malformed("different files"),
        ),
        case(
            "two renames in one header",
            moved("rename", "src/a.txt", "src/c.txt") + "rename from .env\n",
            Malformed("twice"),
        ),
        case(
            "new and deleted",
            git("src/n", "new file mode 100644\ndeleted file mode 100644\n"),
            Malformed("contradict"),
        ),
        case(
            "half a rename",
            "diff --git a/src/a.txt b/src/c.txt\nrename from src/a.txt\n".into(),
            Malformed("contradict"),
        ),
        case("the diff of a merge", "diff --cc src/a.txt\n@@@ -1 -1 +1 @@@\n".into(), Malformed("merge")),
        case(
            "another form",
            "*** Begin Patch\n*** Update File: src/a.txt\n@@\n-one\n+two\n*** End Patch\n".into(),
            Malformed("unified diff"),
        ),
        case("a file that exists", new("src/a.txt"), Refused("it exists already")),
        case("a file that does not exist", edit("src/none"), Refused("no such file")),
        case("a file twice", edit("src/a.txt") + &edit("src/a.txt"), Refused("in two places")),
        case("two files at one path", new("src/n") + &new("src/n"), Refused("in two places")),
        Case(
            "half a removal",
            "echo more >>src/a.txt",
            "--- a/src/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n".into(),
            Refused("not removed whole"),
        ),
        case(
            "a removal",
            "--- a/src/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n".into(),
            Applied(&[("src/a.txt", None)]),
        ),
        case(
            "a removal without lines",
            git("src/a.txt", "deleted file mode 100644\nindex 1..0\n"),
            Refused("lines to remove are missing"),
        ),
        Case(
            "a hunk that fits twice",
            "printf 'x\\none\\none\\n' >src/a.txt",
            edit("src/a.txt"),
            Refused("at the lines 2, 3"),
        ),
        case("a hunk without a line to find", hunk("-1,0 +2", "+two\n"), Refused("no line to find its place by")),
        Case(
            "hunks in the wrong order",
            "printf 'a\\nb\\nc\\nd\\n' >src/a.txt",
            hunk("-3 +3", "-c\n+C\n@@ -1 +1 @@\n-a\n+A\n"),
            Refused("not in order"),
        ),
        case(
            "a marker in the middle",
            hunk("-1,2 +1,2", " one\n\\ No newline at end of file\n-x\n+y\n"),
            Malformed("No newline"),
        ),
        case("a mail", format!("From: a\nSubject: b\n---\n x | 2 +-\n\n{}-- \n2.39.0\n", edit("src/a.txt")), TWO),
        case("prose around a block", format!("Here it is.\n\n```diff\n{}```\n\n- done\n", edit("src/a.txt")), TWO),
        case("a block without a word", format!("```\n{}```\n", edit("src/a.txt")), TWO),
        case(
            "two blocks",
            format!("1.\n~~~patch\n{}~~~\n2.\n```diff\n{}```\n", edit("src/a.txt"), edit("src/b.txt")),
            Applied(&[("src/a.txt", Some("two\n")), ("src/b.txt", Some("two\n"))]),
        ),
        case(
            "a second block that is forbidden",
            format!("```diff\n{}```\n```diff\n{}```\n", edit("src/a.txt"), edit("lib/x")),
            OUTSIDE,
        ),
        case("a block that is cut off", format!("```diff\n{}", edit("src/a.txt")), Malformed("is not closed")),
        case(
            "a patch beside a block",
            format!("```diff\n{}```\n{}", edit("src/a.txt"), edit("src/b.txt")),
            Malformed("outside of the ```diff blocks"),
        ),
        case("CR LF throughout", edit("src/a.txt").replace('\n', "\r\n"), TWO),
        Case(
            "a file with CR LF",
            "printf 'one\\r\\nb\\r\\n' >src/a.txt",
            edit("src/a.txt"),
            Applied(&[("src/a.txt", Some("two\r\nb\r\n"))]),
        ),
        case("CR LF in one line", hunk("-1 +1", "-one\r\n+two\n"), Refused("not in the file")),
        Case("a file without its last newline", "printf one >src/a.txt", edit("src/a.txt"), Refused("not in the file")),
    ]
}

/// Runs one case. The error is what went wrong.
fn verdict(case: &Case) -> Result<(), String> {
    let Case(name, prepare, text, want) = case;
    let scratch: Scratch = repo();
    fs::write(scratch.top().join("outside"), "one\n").unwrap();
    if !prepare.is_empty() {
        scratch.ok(prepare);
    }
    let all = |scratch: &Scratch| -> (Files, Files) { (files_below(&scratch.work()), git_files(&scratch.work())) };
    let (mut before, gits) = all(&scratch);
    let said = patch(&scratch, text);
    let (after, gits_after) = all(&scratch);
    let whole = format!("{}{}", said.out, said.err);
    let status = match want {
        Refused(words) if !whole.contains(words) => return Err(format!("{name}: no {words:?} in {whole}")),
        Malformed(words) if !whole.contains(words) => return Err(format!("{name}: no {words:?} in {whole}")),
        Refused(_) => 1,
        // An unreadable name has the status of a failing system call.
        Malformed("") => 111,
        Malformed(_) => 100,
        Applied(changes) => {
            for (path, content) in *changes {
                match content {
                    Some(text) => {
                        before.insert(PathBuf::from(path), (false, text.as_bytes().to_vec()));
                    }
                    None => drop(before.remove(Path::new(path))),
                }
            }
            0
        }
    };
    let is_outside_same =
        fs::read(scratch.top().join("outside")).unwrap() == b"one\n" && !scratch.top().join("pwned").exists();
    match () {
        _ if said.status != status => Err(format!("{name}: status {} instead of {status}: {whole}", said.status)),
        _ if after != before => Err(format!("{name}: the files differ: {:?}", after.keys())),
        _ if gits != gits_after || !is_outside_same => Err(format!("{name}: something outside changed")),
        _ if said.took > Duration::from_secs(20) => Err(format!("{name}: took {:?}", said.took)),
        () => Ok(()),
    }
}

/// The files in git's directory.
fn git_files(top: &Path) -> Files {
    let dir = top.join(".git");
    if dir.is_dir() { files_below(&dir) } else { Files::new() }
}

fn run(cases: &[Case], least: usize) {
    let wrong: Vec<String> = cases.iter().filter_map(|case| verdict(case).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.len() >= least, "{}", cases.len());
}

#[test]
fn a_path_is_held_against_the_rules_however_it_is_written() {
    run(&paths(), 40);
}

#[test]
fn no_patch_reaches_git_the_gate_or_another_tree() {
    run(&places(), 35);
}

#[test]
fn a_malformed_patch_is_never_applied_in_part() {
    run(&forms(), 40);
}

/// A patch that is too large, and one with many files, end soon.
#[test]
fn a_huge_patch_ends_soon() {
    let scratch = repo();
    let began = Instant::now();
    let said = scratch.sh("head -c 100000000 /dev/zero | rg-patch", b"");
    assert_eq!((said.status, said.err.as_str()), (100, "rg-patch: standard input exceeds 16 MiB\n"));
    let long = format!("--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,1000000 +1,1000000 @@\n{}", " x\n".repeat(1_000_000));
    assert_eq!(patch(&scratch, &long).status, 1);
    let names: String = (0..20_000).map(|at| git(&format!("lib/{at}"), "new file mode 100644\n")).collect();
    let said = patch(&scratch, &names);
    assert!(
        said.status == 1 && said.out.ends_with("and 19900 more\n") && said.out.lines().count() == 101,
        "{}",
        said.status
    );
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

/// A bomb: little data that unpacks to much.
#[test]
fn a_binary_patch_does_not_unpack_without_limit() {
    let scratch = repo();
    fs::write(scratch.work().join("bomb"), vec![0; 60_000_000]).unwrap();
    let diff = scratch.sh("git diff --binary --no-index /dev/null bomb", b"").out;
    assert!(diff.contains("GIT binary patch\nliteral 60000000\n") && diff.len() < 400_000);
    fs::remove_file(scratch.work().join("bomb")).unwrap();
    let many: String = (0..5).map(|at| diff.replace("/bomb", &format!("/src/bomb{at}"))).collect();
    let said = patch(&scratch, &many);
    assert_eq!((said.status, said.took < Duration::from_secs(60)), (100, true), "{:?}", said.err);
    assert!(said.err.contains("exceed 256 MiB"), "{}", said.err);
}
