//! Property of the issues: any merge of any histories adds up to the same.

use proptest::prelude::*;
use review_gate::sys::clock::Time;
use review_gate::sys::ids;
use review_gate::talk::issue::board::Board;
use review_gate::talk::issue::change::{Change, Dep, Fields, Holder, Relation, Status};
use review_gate::talk::issue::columns;
use review_gate::talk::issue::order;
use std::fs;

const START: u64 = 1_795_219_200_000;

fn time(n: usize) -> Time {
    Time(START + n as u64 * 1000)
}

fn id(n: usize) -> String {
    // Two clones may write in the same millisecond.
    ids::ulid_of(time(n / 2), &[&n.to_string()])
}

/// The n-th change: `kind` says what it sets. The first three make the issues.
fn line(n: usize, kind: usize) -> String {
    let issue = if n < 3 { id(n) } else { id(kind % 3) };
    let by = Holder { from: format!("agent-{}", kind % 2), session: None };
    let dep = |removed| vec![Dep { relation: Relation::Blocks, target: id(kind / 3 % 3), removed }];
    let set = match kind % 11 {
        _ if n < 3 => Fields { title: Some(format!("issue {n}")), ..Fields::default() },
        0 => Fields { title: Some(format!("title {n}")), ..Fields::default() },
        1 => Fields { priority: Some((n % 5 + 1) as u8), ..Fields::default() },
        2 => Fields { tags: vec!["a".into()], ..Fields::default() },
        3 => Fields { untags: vec!["a".into()], ..Fields::default() },
        4 => Fields { deps: dep(false), ..Fields::default() },
        5 => Fields { deps: dep(true), ..Fields::default() },
        6 => Fields { comment: Some(format!("comment {n}")), ..Fields::default() },
        7 => Fields { claim: Some(time(n + 8)), ..Fields::default() },
        8 => Fields { release: true, ..Fields::default() },
        9 => Fields { status: Some(Status::Closed), force: n.is_multiple_of(3), ..Fields::default() },
        _ => Fields { status: Some(Status::Open), ..Fields::default() },
    };
    String::from_utf8(Change::new(id(n), time(n / 2), &issue, &by, set).to_line()).unwrap()
}

fn read(lines: &[String]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("issues.jsonl");
    fs::write(&path, lines.concat()).unwrap();
    let board = Board::read(&[path]).unwrap();
    assert_eq!(board.issues().count(), 3);
    let ready: Vec<&str> = order::ready(&board, time(9)).iter().map(|issue| issue.id.as_str()).collect();
    format!("{:#?} {ready:?}", board.issues().collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn any_merge_of_any_histories_adds_up_to_the_same(
        (one, two) in proptest::collection::vec(0usize..66, 3..24).prop_flat_map(|kinds| {
            let lines: Vec<String> = kinds.iter().enumerate().map(|(n, kind)| line(n, *kind)).collect();
            let order = move |lines: Vec<String>| {
                proptest::collection::vec(0..lines.len(), 0..6).prop_flat_map(move |again| {
                    let mut all = lines.clone();
                    all.extend(again.into_iter().map(|n| lines[n].clone()));
                    Just(all).prop_shuffle()
                })
            };
            (order(lines.clone()), order(lines))
        }),
    ) {
        prop_assert_eq!(read(&one), read(&two));
    }

    /// What is ready is found without texts: the same as with them, whatever the order of the lines and whatever is between them.
    #[test]
    fn what_is_ready_does_not_depend_on_how_it_is_read(
        lines in proptest::collection::vec(0usize..66, 3..24).prop_flat_map(|kinds| {
            let lines: Vec<String> = kinds.iter().enumerate().map(|(n, kind)| line(n, *kind)).collect();
            let sorted = lines.iter().cloned().collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>();
            prop_oneof![Just(sorted), Just(lines).prop_shuffle()]
        }),
        (again, torn, spaced) in (0usize..40, 0usize..40, 0usize..40),
        limit in 0usize..4,
    ) {
        let mut text: Vec<String> = lines.clone();
        text.extend(lines.get(again).cloned());
        if let Some(line) = text.get(torn).cloned() {
            text.insert(torn, format!("{}\n", &line[..line.len() / 2]));
        }
        if let Some(line) = text.get_mut(spaced) {
            *line = line.replace("\":", "\" : ");
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("issues.jsonl");
        fs::write(&path, text.concat()).unwrap();
        let board = Board::read(&[&path]).unwrap();
        for now in [time(0), time(9), time(40)] {
            let whole: Vec<String> =
                order::ready(&board, now).iter().take(limit).map(|issue| issue.id.clone()).collect();
            let fast = columns::ready(&path, now, limit).unwrap();
            prop_assert_eq!(&fast.ids, &whole);
            prop_assert_eq!(fast.board.skipped, board.skipped);
            for id in &whole {
                let (one, other) = (fast.board.get(id), board.get(id));
                prop_assert_eq!(format!("{one:?}"), format!("{other:?}"));
            }
        }
    }

    #[test]
    fn at_most_one_holder_can_end_an_issue(kinds in proptest::collection::vec(0usize..66, 3..40)) {
        let mut lines: Vec<String> = kinds.iter().enumerate().map(|(n, kind)| line(n, *kind)).collect();
        // One clone appends in the order of the ids.
        lines.sort();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("issues.jsonl");
        let mut fences = std::collections::BTreeMap::new();
        for n in 3..=lines.len() {
            fs::write(&path, lines[..n].concat()).unwrap();
            let board = Board::read(&[&path]).unwrap();
            for issue in board.issues() {
                // A fence never goes back, and one fence has one holder.
                if let Some(claim) = &issue.course.claim {
                    let known = fences.entry((issue.id.clone(), claim.fence)).or_insert_with(|| claim.holder.clone());
                    prop_assert_eq!(&*known, &claim.holder);
                }
            }
        }
    }
}
