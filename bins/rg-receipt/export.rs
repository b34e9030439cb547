//! `rg-receipt export`: the receipt that covers a commit, as a signed statement for another clone.

use crate::envelope;
use crate::show::Query;
use crate::ssh_signature::SigningKey;
use crate::statement::{self, Subject};
use crate::verify::Covering;
use review_gate::event::Outcome;
use review_gate::git::Repository;
use review_gate::snapshot::commit;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{cut_end, one_line};
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;

/// Prints the statement. The status is 1 if no sealed receipt with the outcome `done` or `waived` covers the commit.
pub fn run(args: &mut Args) -> Result<Exit> {
    let query = Query::parse(args)?;
    if query.id.is_some() {
        return Err(args.wrong("export takes a commit: `rg-receipt export --commit REV`"));
    }
    let repository = Repository::discover(&query.dir)?;
    let commit = repository.resolve(query.commit.as_deref().unwrap_or("HEAD"))?;
    let subject = subject_of(&repository, &commit)?;
    let short = commit.get(..12).unwrap_or(&commit);
    let Some(covering) = Covering::find(&query, &subject.snapshot)? else {
        return Err(Error::refused(format!(
            "no receipt covers the files of commit {short}. Commit exactly the files that were judged, or judge these"
        )));
    };
    let id = &covering.filed.id;
    if let Some(flaw) = covering.flaw()? {
        return Err(Error::refused(format!("receipt {id} of commit {short} is no evidence: {flaw}")));
    }
    let receipt = &covering.receipt;
    if !matches!(receipt.outcome, Outcome::Done | Outcome::Waived) {
        let why = cut_end(&one_line(&receipt.why), 200);
        return Err(Error::refused(format!("commit {short} is {}: {why} (receipt {id})", receipt.outcome.word())));
    }
    let key = SigningKey::configured(&repository, &query.dir)?;
    let statement = statement::of_receipt(&covering.filed.bytes()?, &subject)?;
    pipes::write(envelope::sign(&statement, &key)?.as_bytes())?;
    Ok(Exit::Yes)
}

/// The tree of a commit, and the snapshot of its clean checkout.
pub fn subject_of(repository: &Repository, commit: &str) -> Result<Subject> {
    let out = repository.git(&["rev-parse", "--verify", "--quiet", &format!("{commit}^{{tree}}")])?;
    let tree = String::from_utf8_lossy(&out).trim().to_string();
    Ok(Subject { tree, snapshot: commit::of_commit(repository, commit)?.digest() })
}
