//! Programs that need a commit, in a repository that has none yet: each one says so and names what helps.

use crate::scratch::Scratch;

const TOLD: &str = "there is no commit yet. Make the first one: `git add -A && git commit`\n";

#[test]
fn without_a_commit_each_program_says_so() {
    let scratch = Scratch::new();
    scratch.ok("git init -q");
    scratch.write("DONE.md", "```yaml\nchecks: [{name: t, run: 'true'}]\n```\n");
    for line in [
        "rg-prove --now",
        "rg-land",
        "rg-worktree create x",
        "rg-tamper --now --against HEAD",
        "rg-event stop --against HEAD~1",
    ] {
        let said = scratch.sh(line, b"");
        assert!(said.status == 100 && said.err.ends_with(TOLD), "{line}: {said:?}");
    }
    scratch.ok("git add -A && git commit -qm start && git branch -m other");
    let said = scratch.run("rg-worktree", &["create", "x"], b"");
    assert!(said.status == 100 && said.err.contains("no base branch: "), "{said:?}");
    assert!(scratch.run("rg-event", &["stop", "--against", "HEAD~1"], b"").err.contains("no such commit: "));
}
