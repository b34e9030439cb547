//! `rg-receipt verify FILE`: whether an allowed signer exported this receipt, and whether it covers a commit of this clone.

use crate::envelope::{self, Envelope};
use crate::export::subject_of;
use crate::show::Query;
use crate::ssh_signature::configured_signers;
use crate::statement::{Decision, Statement, Subject};
use crate::verify::{Line, exit, report};
use review_gate::event::{Kind, Outcome};
use review_gate::git::Repository;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::files;
use review_gate::sys::text::{cut_end, one_line};
use std::path::{Path, PathBuf};

/// Prints a line each for the signature, the commit and the outcome. The status is 1 if one does not hold, 111 if it is unsigned.
pub fn run(query: &Query) -> Result<Exit> {
    let Some(file) = &query.file else { return Err(Error::bug("no file to verify")) };
    let repository = Repository::discover(&query.dir)?;
    let commit = repository.resolve(query.commit.as_deref().unwrap_or("HEAD"))?;
    let envelope = Envelope::read(file)?;
    // A statement that no allowed signer signed is not read.
    let signature = signature_line(&envelope, &repository, query)?;
    if signature.0 != Some(true) {
        report(None, std::slice::from_ref(&signature))?;
        return Ok(exit(std::slice::from_ref(&signature), signature.0));
    }
    let statement = Statement::parse(&envelope.payload);
    let Statement { subject, decision } = statement
        .map_err(|why| Error::usage(format!("{} is no receipt: {why}", one_line(&file.display().to_string()))))?;
    let mut lines = vec![
        signature,
        commit_line(&commit, &subject, &subject_of(&repository, &commit)?),
        outcome_line(&decision, query.strict),
    ];
    lines.extend(decision.waivers.iter().map(|waiver| {
        let scope = one_line(&waiver.scope.to_string());
        let text = format!("{scope}: {} ({}, until {})", one_line(&waiver.why), one_line(&waiver.who), waiver.until);
        (None, format!("waiver     {}", cut_end(&text, 200)))
    }));
    report(Some(&decision.id), &lines)?;
    Ok(exit(&lines, lines[0].0))
}

fn signature_line(envelope: &Envelope, repository: &Repository, query: &Query) -> Result<Line> {
    let Some(signature) = &envelope.signature else {
        return Ok((None, "signature  none: it is unsigned. Anyone could have written it".to_string()));
    };
    let signers = signers(repository, query)?;
    Ok(match signature.check(&envelope::message(&envelope.payload), &signers)? {
        Ok(principal) => (Some(true), format!("signature  {principal}, {}", signature.fingerprint)),
        Err(why) => (Some(false), format!("signature  {why}")),
    })
}

/// The file of allowed signers. Errors (111): none is configured, or it cannot be read.
fn signers(repository: &Repository, query: &Query) -> Result<PathBuf> {
    let path = match &query.allowed_signers {
        Some(path) => path.clone(),
        None => configured_signers(repository, &query.dir)?.ok_or_else(|| {
            Error::missing("no allowed signers. Pass `--allowed-signers FILE`, or set `git config gpg.ssh.allowedSignersFile FILE`")
        })?,
    };
    require_file(&path)?;
    Ok(path)
}

/// ssh-keygen would wait for a FIFO.
fn require_file(path: &Path) -> Result<()> {
    let name = one_line(&path.display().to_string());
    files::open_following(path)?.map(drop).ok_or_else(|| Error::missing(format!("no file of allowed signers: {name}")))
}

fn commit_line(commit: &str, stated: &Subject, found: &Subject) -> Line {
    let short = |id: &str| one_line(id).chars().take(12).collect::<String>();
    let name = short(commit);
    if stated == found {
        return (Some(true), format!("commit     {name}: its clean checkout has the judged files"));
    }
    let why = match stated.tree == found.tree {
        true => "the tree is the same, but the files differ. Check out the same submodules".to_string(),
        false => format!("it has the tree {}, the receipt is about {}", short(&found.tree), short(&stated.tree)),
    };
    (Some(false), format!("commit     {name}: {why}"))
}

fn outcome_line(decision: &Decision, is_strict: bool) -> Line {
    let is_whole = decision.kind == Kind::Stop && !decision.partial;
    let is_accepted = decision.outcome == Outcome::Done || decision.outcome == Outcome::Waived && !is_strict;
    let partial = if is_whole { "" } else { ", but only a part was judged" };
    let why = cut_end(&one_line(&decision.why), 100);
    let by = cut_end(&one_line(&decision.by_tool), 40);
    let word = decision.outcome.word();
    (Some(is_whole && is_accepted), format!("outcome    {word}{partial}: {why} ({by}, {})", decision.at.local()))
}
