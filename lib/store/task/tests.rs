//! Properties of every fold over a task's journal: for any damage to its lines, nothing panics, no budget grows, and no approval or
//! waiver appears.

use super::*;
use crate::event::{Action, Actor, Bounce, BudgetOwner, Score, Stage};
use crate::review::record::Reviews;
use crate::store::loops::stack::Stack;
use crate::store::record::{
    Approval, Body, CheckedDecision, Close, Envelope, FrameBegin, FrameStep, GateOff, GateOn, Kind, Open,
    ReviewRequest, ReviewStep, SealedReceipt, Standing, VERSION, encode,
};
use crate::sys::clock::Time;
use crate::sys::digest::sha256;
use proptest::prelude::*;

/// A time at which every waiver of these tests applies.
fn now() -> Time {
    Time::parse("2026-11-21T12:00:00.000Z").unwrap()
}

fn sealed(n: usize, outcome: Outcome, progress: bool) -> SealedReceipt {
    let score = Score { judge: Some(Stage::Check), open: 1, round: 0 };
    SealedReceipt {
        event: n.to_string(),
        budget_owner: BudgetOwner::Main,
        outcome,
        reply: if outcome == Outcome::NotDone { Action::Block } else { Action::Allow },
        reason_sha256: None,
        bounce: Some(Bounce { n: 1, of: 3, score, progress, ..Bounce::default() }),
        keys: vec!["k".into()],
        snapshot: Some("s".into()),
        receipt: n.to_string(),
        file: format!("receipts/{n}.json"),
        sha256: sha256(b"x"),
        ended: None,
        deferred: false,
        awaits_user: false,
    }
}

fn prompt(by: Actor, review: Option<crate::store::record::Switch>) -> Prompt {
    Prompt {
        limit: None,
        by,
        turn: None,
        sha256: sha256(b"go"),
        text: "go".into(),
        blob: None,
        review,
        looping: None,
        loops: Vec::new(),
        loop_ends: false,
        from: None,
    }
}

fn given(n: usize, standing: Standing) -> Body {
    let given = CheckedDecision {
        snapshot: Some("s".into()),
        standing,
        ..CheckedDecision::new(format!("a{n}"), Some("p".into()))
    };
    ReviewStep::Decided(given).into()
}

/// One of the records that change a task's state, by a number.
fn body(n: usize, which: usize) -> Body {
    match which % 14 {
        0 => prompt(Actor::User, None).into(),
        1 => prompt(Actor::Client, Some(crate::store::record::Switch::On)).into(),
        2 => Open {
            event: n.to_string(),
            budget_owner: BudgetOwner::Main,
            turn: None,
            until: None,
            deferred_for: Vec::new(),
        }
        .into(),
        3 => Close { event: n.to_string(), why: "x".into(), snapshot: None }.into(),
        4 | 5 => sealed(n, Outcome::NotDone, false).into(),
        6 => sealed(n, Outcome::NotDone, true).into(),
        7 => sealed(n, Outcome::Done, false).into(),
        8 => GateOff { who: "u".into(), origin: None, until: now().plus(60.0) }.into(),
        9 => GateOn { who: "u".into() }.into(),
        10 => given(n, Standing::Approved),
        11 => given(n, Standing::Rejected),
        12 => Approval { id: n.to_string(), snapshot: "s".into(), why: "w".into(), who: "u".into() }.into(),
        _ => FrameStep::Begin(FrameBegin {
            frame: n.to_string(),
            mode: "task".into(),
            max: 3,
            prompt: "p".into(),
            worktree: "/w".into(),
            branch: None,
            base: None,
            snapshot: "s".into(),
            by: Actor::User,
            session: Some("s".into()),

            issue: None,
        })
        .into(),
    }
}

/// The lines of a journal with those records.
fn lines(which: &[usize]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for (n, which) in which.iter().enumerate() {
        let body = body(n, *which);
        let envelope = Envelope {
            v: VERSION,
            kind: body.kind().word().to_string(),
            id: format!("id{n}"),
            at: now().plus(-600.0 + n as f64),
            by_tool: "t".into(),
            prev: lines.last().map(|line| sha256(line)),
            pid: None,
            unlocked: false,
        };
        lines.push(encode(&envelope, &body).unwrap().trim_ascii_end().to_vec());
    }
    lines
}

fn journal(lines: &[Vec<u8>]) -> Journal {
    Journal::read(&lines.join(&b'\n'))
}

/// What a journal grants: the spent bounces, the rejections, the waivers and the approvals.
#[derive(Debug)]
struct Granted {
    bounces_spent: u32,
    rejections: u32,
    waivers: usize,
    approvals: usize,
}

fn granted(journal: &Journal) -> Granted {
    let ledger: Ledger = journal.fold();
    let reviews: Reviews = journal.fold();
    let is_bounce =
        |decision: &&LedgerEntry| decision.sealed.as_ref().is_none_or(|sealed| sealed.reply == Action::Block);
    let since = ledger.since_user(&BudgetOwner::Main, None);
    // rg-bounce refills the budget at a bounce with progress, and only if every receipt can be read.
    let after = since.iter().rposition(|decision| {
        let bounce = decision.sealed.as_ref().and_then(|sealed| sealed.bounce.as_ref());
        ledger.is_whole() && bounce.is_some_and(|bounce| bounce.progress)
    });
    Granted {
        bounces_spent: since.iter().skip(after.unwrap_or(0)).filter(|decision| is_bounce(decision)).count() as u32,
        rejections: reviews.rejections_since(0),
        waivers: journal.fold::<Waivers>().at(now()).len(),
        approvals: reviews.approvals.len()
            + reviews.decisions.iter().filter(|g| g.standing == Standing::Approved).count(),
    }
}

/// Calls every fold and all its functions.
fn fold_all(journal: &Journal) {
    let ledger: Ledger = journal.fold();
    let prompts: Prompts = journal.fold();
    let stack = Stack::of(journal);
    let _ =
        (ledger.since_given_up(), ledger.is_given_up(), ledger.last_deferred_event(), ledger.unclosed_stops().count());
    let _ = (ledger.last_of_session(), ledger.deferred_for(0).count(), ledger.last_user_prompt(None));
    let _ = (prompts.is_review_asked(), prompts.last(), stack.summary(), stack.is_damaged());
    granted(journal);
}

proptest! {
    #[test]
    fn folds_accept_any_lines(
        which in proptest::collection::vec(0usize..14, 0..20),
        junk in proptest::collection::vec((0usize..20, proptest::collection::vec(any::<u8>(), 0..80)), 0..6),
        order in any::<u64>(),
    ) {
        let mut lines = lines(&which);
        for (at, junk) in junk {
            lines.insert(at.min(lines.len()), junk);
        }
        // Rotated: lines are replayed or lost.
        let turn = lines.len().max(1) as u64;
        lines.rotate_left((order % turn) as usize);
        fold_all(&journal(&lines));
    }

    #[test]
    fn a_line_that_cannot_be_read_grants_nothing(
        which in proptest::collection::vec(0usize..14, 1..20),
        at in any::<proptest::sample::Index>(),
        how in 0usize..4,
    ) {
        let whole = lines(&which);
        let before = granted(&journal(&whole));
        let mut damaged = whole.clone();
        let at = at.index(whole.len());
        let kind = body(at, which[at]).kind();
        let line = &mut damaged[at];
        match how {
            0 => *line = b"{\"v\":1,\"kind\":\"x}".to_vec(),
            1 => *line = format!("{{\"v\":1,\"kind\":\"{}\"}}", kind.word()).into_bytes(),
            2 => *line = format!("{{\"v\":7,\"kind\":\"{}\",\"future\":true}}", kind.word()).into_bytes(),
            _ => {
                let end = line.len() - 1;
                line.truncate(end);
            }
        }
        let after = granted(&journal(&damaged));
        // A damaged line may spend budget; it must not grant any.
        prop_assert!(after.waivers <= before.waivers, "{kind:?} {how}: {before:?} {after:?}");
        prop_assert!(after.approvals <= before.approvals, "{kind:?} {how}: {before:?} {after:?}");
        prop_assert!(after.rejections >= before.rejections, "{kind:?} {how}: {before:?} {after:?}");
        prop_assert!(after.bounces_spent >= before.bounces_spent, "{kind:?} {how}: {before:?} {after:?}");
    }
}

#[test]
fn an_unreadable_receipt_spends_budget() {
    let mut lines = lines(&[0, 4, 4]);
    let spent = |lines: &[Vec<u8>]| journal(lines).fold::<Ledger>().since_user(&BudgetOwner::Main, None).len();
    assert_eq!(spent(&lines), 2);
    lines[1] = br#"{"v":1,"kind":"receipt","outcome":7}"#.to_vec();
    assert_eq!(spent(&lines), 2);
    assert!(!journal(&lines).fold::<Ledger>().is_whole());
    // An unreadable receipt with the outcome done finishes nothing.
    lines.push(br#"{"v":1,"kind":"receipt","outcome":"done"}"#.to_vec());
    assert!(journal(&lines).fold::<Ledger>().last_of_session().is_none());
}

#[test]
fn a_request_has_the_id_of_its_envelope() {
    let request =
        ReviewRequest { id: "id0".into(), snapshot: "s".into(), base: None, files: 1, findings: vec![], at: now() };
    let body = Body::from(request);
    let envelope = Envelope {
        v: VERSION,
        kind: Kind::ReviewRequest.word().into(),
        id: "id0".into(),
        at: now(),
        by_tool: "rg-review-state".into(),
        prev: None,
        pid: None,
        unlocked: false,
    };
    let journal = Journal::read(&encode(&envelope, &body).unwrap());
    let reviews: Reviews = journal.fold();
    assert!(reviews.request("id0").is_some());
}
