//! rg-tamper's findings about real commits that touch tests. Nearly all of them are honest, so nearly all findings are wrong.

use crate::change::DONE;
use crate::place::{Place, Set};
use crate::score::{self, Finding, percent};
use crate::stage::{paint, say};
use crate::{Failure, parallel, plugin};
use review_gate::donefile::Guards;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// Of all commits: at most this share is sent back, and at most this share has a finding that is wrong.
const LIMIT: f64 = 3.0;
/// How many commits of a repository are judged in one working tree, one after the other.
const CHUNK: usize = 25;
/// Makes commits of the trees before and after, each with the same definition of done, and checks out the one after.
const CHECKOUT: &str = r#"
set -e
commit() {
    tree=$1
    shift
    tree=$({ git ls-tree "$tree" | grep -v "	DONE.md$" || :; printf '100644 blob %s\tDONE.md\n' "$DONE"; } | git mktree)
    git commit-tree "$tree" -m scratch "$@" </dev/null
}
before=$(commit "$BEFORE")
after=$(commit "$AFTER" -p "$before")
git checkout -q -f --detach "$after"
printf %s "$before"
"#;

struct Options {
    repositories: Vec<Repository>,
    commits: usize,
    bin: Option<PathBuf>,
    json: Option<PathBuf>,
    labels: PathBuf,
    findings: bool,
    enforce: bool,
}

/// A repository with the name that the tables and the labels use.
struct Repository {
    name: String,
    dir: PathBuf,
}

/// Some commits of a repository, each with its parent.
struct Chunk<'a> {
    repository: &'a Repository,
    commits: Vec<(String, String)>,
}

/// A commit and the findings about it.
struct Judged {
    repository: String,
    commit: String,
    found: Result<Vec<Finding>, String>,
}

/// The verdicts of people about findings, by repository, commit, rule, path and level: whether the finding is right.
type Labels = HashMap<[String; 5], bool>;

/// The counts of a repository.
#[derive(Debug, Default, PartialEq)]
struct Count {
    commits: usize,
    sent_back: usize,
    found: usize,
    inconclusive: usize,
    wrong: usize,
    unlabelled: usize,
    failed: usize,
}

impl Count {
    fn add(&mut self, judged: &Judged, labels: &Labels) {
        let any = |is: &dyn Fn(&Finding) -> bool| usize::from(judged.found.iter().flatten().any(is));
        let label = |finding: &Finding| labels.get(&judged.key(finding)).copied();
        self.commits += 1;
        self.sent_back += any(&Finding::sends_back);
        self.found += any(&Finding::counts);
        self.inconclusive += any(&Finding::is_inconclusive);
        self.wrong += any(&|finding| finding.counts() && label(finding) == Some(false));
        self.unlabelled += any(&|finding| finding.counts() && label(finding).is_none());
        self.failed += usize::from(judged.found.is_err());
    }

    fn line(&self, name: &str) -> String {
        let share = |part| percent(part, self.commits);
        format!(
            "{name:<34} {:>7} {:>5} {:>5.1} % {:>5} {:>5.1} % {:>10} {:>7} {:>10} {:>6}",
            self.commits,
            self.sent_back,
            share(self.sent_back),
            self.found,
            share(self.found),
            self.inconclusive,
            self.wrong,
            self.unlabelled,
            self.failed
        )
    }
}

impl Judged {
    fn key(&self, finding: &Finding) -> [String; 5] {
        let Finding { rule, path, level, .. } = finding.clone();
        [self.repository.clone(), self.commit.clone(), rule, path, level]
    }
}

/// `xtask history-score [NAME=]REPOSITORY...`: judges the last commits that touch tests, each against its parent, and prints how
/// many are sent back or have a finding. `--commits N` is the number for each repository. `--findings` lists the findings,
/// `--json FILE` writes a row for each commit. `--labels FILE` has verdicts about findings: {repository, commit, rule, path, level, verdict}.
pub fn run(args: &mut lexopt::Parser) -> Result<(), Failure> {
    let options = parse(args)?;
    let set = score::programs(options.bin.clone())?;
    let judged = judge_all(&set, &options)?;
    if let Some(file) = &options.json {
        let rows: String = judged.iter().map(|judged| format!("{}\n", to_json(judged))).collect();
        fs::write(file, rows)?;
    }
    if options.findings {
        judged.iter().for_each(print_findings);
    }
    let all = print_tables(&judged, &read_labels(&options.labels)?);
    let is_beyond = percent(all.sent_back, all.commits) > LIMIT || percent(all.wrong, all.commits) > LIMIT;
    if options.enforce && (is_beyond || all.failed > 0) {
        return Err(
            format!("more than {LIMIT} % were sent back or have a wrong finding, or a commit was not judged").into()
        );
    }
    Ok(())
}

/// Judges the commits of all repositories.
fn judge_all(set: &Set, options: &Options) -> Result<Vec<Judged>, Failure> {
    let mut chunks = Vec::new();
    for repository in &options.repositories {
        let commits = commits(&repository.dir, options.commits)?;
        chunks.extend(commits.chunks(CHUNK).map(|part| Chunk { repository, commits: part.to_vec() }));
    }
    let scratch = Shell::new()?.create_temp_dir()?;
    let judged = parallel::for_each(&chunks, scratch.path(), |chunk, top| judge(set, chunk, top));
    Ok(judged.into_iter().flatten().collect())
}

fn parse(args: &mut lexopt::Parser) -> Result<Options, Failure> {
    use lexopt::Arg::{Long, Value};
    let labels = plugin::checkout().join("tests/cases/history.jsonl");
    let mut options = Options {
        repositories: Vec::new(),
        commits: 100,
        bin: None,
        json: None,
        labels,
        findings: false,
        enforce: false,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Value(text) => options.repositories.push(repository(&text.to_string_lossy())?),
            Long("commits") => options.commits = args.value()?.to_string_lossy().parse()?,
            Long("bin") => options.bin = Some(args.value()?.into()),
            Long("json") => options.json = Some(args.value()?.into()),
            Long("labels") => options.labels = args.value()?.into(),
            Long("findings") => options.findings = true,
            Long("enforce") => options.enforce = true,
            other => return Err(other.unexpected().into()),
        }
    }
    if options.repositories.is_empty() {
        return Err("no repository. Usage: `cargo xtask history-score REPOSITORY...`".into());
    }
    Ok(options)
}

/// `name=dir`, or a directory whose own name is used.
fn repository(text: &str) -> Result<Repository, Failure> {
    let (name, dir) = text.split_once('=').map_or((None, text), |(name, dir)| (Some(name.to_string()), dir));
    let dir = fs::canonicalize(dir).map_err(|error| format!("{dir}: {error}"))?;
    let own = || dir.file_name().unwrap_or_default().to_string_lossy().trim_end_matches(".git").to_string();
    Ok(Repository { name: name.unwrap_or_else(own), dir })
}

/// The last commits with one parent that touch a file of `test_globs`, with their parents.
fn commits(dir: &Path, most: usize) -> Result<Vec<(String, String)>, Failure> {
    let globs: Vec<String> = Guards::default().test_globs.iter().map(|glob| format!(":(glob){glob}")).collect();
    let (shell, most) = (Shell::new()?, most.to_string());
    let log = cmd!(shell, "git -C {dir} log --no-merges --min-parents=1 --format=%H-%P -n {most} HEAD -- {globs...}");
    let log = log.quiet().read()?;
    Ok(log.lines().filter_map(|line| line.split_once('-')).map(|(a, b)| (a.into(), b.into())).collect())
}

/// Judges the commits of a chunk in one working tree, whose stat cache they share.
fn judge(set: &Set, chunk: &Chunk, top: &Path) -> Vec<Judged> {
    let place = prepare(set, &chunk.repository.dir, top).map_err(|error| error.to_string());
    let each = chunk.commits.iter().map(|(commit, parent)| {
        let found = match &place {
            Ok(place) => judge_commit(place, commit, parent).map_err(|error| error.to_string()),
            Err(error) => Err(error.clone()),
        };
        Judged { repository: chunk.repository.name.clone(), commit: commit.clone(), found }
    });
    each.collect()
}

/// A place whose repository borrows the objects of another.
fn prepare<'a>(set: &'a Set, dir: &Path, top: &Path) -> Result<Place<'a>, Failure> {
    let shell = Shell::new()?;
    let objects = cmd!(shell, "git -C {dir} rev-parse --path-format=absolute --git-path objects").quiet().read()?;
    let place = Place::without_client(set, top)?;
    fs::write(top.join("DONE.md"), DONE)?;
    place.ok("git init -q -b scratch && git hash-object -w ../DONE.md >../done")?;
    fs::write(place.repo().join(".git/objects/info/alternates"), format!("{objects}\n"))?;
    Ok(place)
}

fn judge_commit(place: &Place, commit: &str, parent: &str) -> Result<Vec<Finding>, Failure> {
    let checkout = place.sh(&format!("BEFORE={parent} AFTER={commit} DONE=$(cat ../done)\n{CHECKOUT}"), "")?;
    if checkout.status != 0 {
        return Err(format!("checkout: {}", checkout.err.trim()).into());
    }
    let said = place.sh(&format!("rg-event stop --against {} | rg-tamper", checkout.out), "")?;
    score::findings(&said.out).map_err(|error| format!("{error}: {}", said.err.trim()).into())
}

fn to_json(judged: &Judged) -> Value {
    let finding = |finding: &Finding| json!({"level": finding.level, "rule": finding.rule, "path": finding.path, "line": finding.line, "text": finding.text});
    let mut row = json!({"repository": judged.repository, "commit": judged.commit});
    match &judged.found {
        Ok(found) => row["findings"] = found.iter().map(finding).collect(),
        Err(error) => row["error"] = json!(error),
    }
    row
}

fn print_findings(judged: &Judged) {
    let at = format!("{} {}", judged.repository, judged.commit.get(..12).unwrap_or_default());
    if let Err(error) = &judged.found {
        say(&paint("31", &format!("{at} not judged: {error}")));
    }
    for finding in judged.found.iter().flatten().filter(|finding| finding.level != "note") {
        let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        say(&format!("{at} {} {} {}{line} {}", finding.level, finding.rule, finding.path, finding.text));
    }
}

/// The verdicts of people about findings. An absent file has none.
fn read_labels(file: &Path) -> Result<Labels, Failure> {
    if !file.exists() {
        return Ok(Labels::new());
    }
    let mut labels = Labels::new();
    for row in score::rows(file)? {
        let key = ["repository", "commit", "rule", "path", "level"];
        let key = key.map(|name| row[name].as_str().unwrap_or("").to_string());
        let is_right = match row["verdict"].as_str() {
            Some("right") => true,
            Some("wrong") => false,
            _ => return Err(format!("{}: a verdict is `right` or `wrong`: {row}", file.display()).into()),
        };
        if labels.insert(key, is_right).is_some() {
            return Err(format!("{}: judged twice: {row}", file.display()).into());
        }
    }
    Ok(labels)
}

/// Prints the table of repositories and that of rules, and returns the counts of all commits.
fn print_tables(judged: &[Judged], labels: &Labels) -> Count {
    let (mut all, mut each) = (Count::default(), BTreeMap::<&str, Count>::new());
    let mut rules = BTreeMap::<(&str, &str), BTreeSet<(&str, &str)>>::new();
    for commit in judged {
        all.add(commit, labels);
        each.entry(&commit.repository).or_default().add(commit, labels);
        for finding in commit.found.iter().flatten() {
            let commits = rules.entry((&finding.rule, &finding.level)).or_default();
            commits.insert((&commit.repository, &commit.commit));
        }
    }
    let title = format!(
        "{:<34} {:>7} {:>13} {:>13} {:>10} {:>7} {:>10} {:>6}",
        "repository", "commits", "sent back", "any finding", "unverified", "wrong", "unlabelled", "failed"
    );
    say(&paint("1", &title));
    each.iter().for_each(|(name, count)| say(&count.line(name)));
    say(&all.line("all"));
    say("");
    say(&paint("1", &format!("{:<34} {:<13} {:>7}", "rule", "level", "commits")));
    for ((rule, level), commits) in &rules {
        say(&format!("{rule:<34} {level:<13} {:>7} {:>5.1} %", commits.len(), percent(commits.len(), judged.len())));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::tests::fake_programs;

    /// A repository whose history skips a test, then repairs that, then changes something else.
    fn history(dir: &Path) -> Repository {
        let shell = Shell::new().unwrap();
        let repository = dir.join("owner+name/repo");
        shell.create_dir(&repository).unwrap();
        shell.change_dir(&repository);
        shell.set_var("GIT_CONFIG_GLOBAL", "/dev/null");
        shell.set_var("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["AUTHOR", "COMMITTER"] {
            shell.set_var(format!("GIT_{name}_NAME"), "Tester");
            shell.set_var(format!("GIT_{name}_EMAIL"), "tester@example.invalid");
        }
        cmd!(shell, "git init -q -b main").run().unwrap();
        for (path, text) in
            [("a.test.js", "test()"), ("a.test.js", "test.skip()"), ("a.test.js", "test(1)"), ("b.js", "b")]
        {
            shell.write_file(path, text).unwrap();
            cmd!(shell, "git add -A").run().unwrap();
            cmd!(shell, "git commit -q -m change").run().unwrap();
        }
        Repository { name: "owner/name".into(), dir: repository }
    }

    #[test]
    fn each_commit_that_touches_tests_is_judged_once_and_labels_are_counted() {
        let dir = Shell::new().unwrap().create_temp_dir().unwrap();
        let labels = dir.path().join("labels.jsonl");
        let options = Options {
            repositories: vec![history(dir.path())],
            commits: 100,
            bin: None,
            json: None,
            labels: labels.clone(),
            findings: true,
            enforce: false,
        };
        let judged = judge_all(&fake_programs(dir.path()), &options).unwrap();
        let sent_back: Vec<bool> = judged.iter().map(|judged| !judged.found.as_ref().unwrap().is_empty()).collect();
        assert_eq!(sent_back, [false, true], "the newest commit is first; the first one has no parent");
        let counted = Count { commits: 2, sent_back: 1, found: 1, ..Count::default() };
        let unlabelled = print_tables(&judged, &read_labels(&labels).unwrap());
        assert_eq!(unlabelled, Count { unlabelled: 1, ..counted });
        let row = json!({
            "repository": "owner/name", "commit": judged[1].commit, "rule": "no_new_skips", "path": "a.test.js",
            "level": "tampered", "verdict": "wrong", "why": "a fake",
        });
        fs::write(&labels, format!("{row}\n")).unwrap();
        let wrong = print_tables(&judged, &read_labels(&labels).unwrap());
        assert_eq!((wrong.wrong, wrong.unlabelled), (1, 0));
    }

    #[test]
    fn a_repository_has_the_name_of_its_directory_or_the_given_one() {
        let dir = Shell::new().unwrap().create_temp_dir().unwrap();
        let path = dir.path().join("lib.git");
        fs::create_dir_all(&path).unwrap();
        let name = |text: String| repository(&text).unwrap().name;
        assert_eq!(name(path.display().to_string()), "lib");
        assert_eq!(name(format!("owner/lib={}", path.display())), "owner/lib");
        assert!(repository("/nowhere/at/all").is_err());
    }

    #[test]
    fn a_label_is_right_or_wrong_and_each_finding_has_one() {
        let dir = Shell::new().unwrap().create_temp_dir().unwrap();
        let file = dir.path().join("labels.jsonl");
        for rows in ["{\"verdict\": \"perhaps\"}\n", "{\"verdict\": \"right\"}\n{\"verdict\": \"wrong\"}\n"] {
            fs::write(&file, rows).unwrap();
            assert!(read_labels(&file).is_err());
        }
    }

    #[test]
    fn the_labels_of_this_repository_name_a_finding_each_with_a_reason() {
        let file = plugin::checkout().join("tests/cases/history.jsonl");
        assert!(!read_labels(&file).unwrap().is_empty());
        for row in score::rows(&file).unwrap() {
            let has = |name: &str| row[name].as_str().is_some_and(|text| !text.is_empty());
            assert!(["repository", "rule", "why"].iter().all(|name| has(name)), "{row}");
            assert_eq!(row["commit"].as_str().map(str::len), Some(40), "{row}");
            // The findings beyond the limit of a file have no path.
            assert!(row["path"].is_string(), "{row}");
            assert!(["tampered", "error", "warning"].iter().any(|level| row["level"] == *level), "{row}");
        }
    }
}
