//! Property of the talk: any merge of any histories reads the same.

use proptest::prelude::*;
use review_gate::sys::clock::Time;
use review_gate::sys::ids;
use review_gate::talk::log::{self, Messages};
use review_gate::talk::message::{Message, Sender};
use std::fs;

const MARKERS: [&str; 5] = ["<<<<<<< ours", "||||||| base", "=======", ">>>>>>> theirs", "{\"id\":\"01M"];

/// The line of the n-th message. Two clones may post in the same millisecond.
fn line(n: usize) -> String {
    let sender = Sender { from: format!("agent-{}", n % 3), ..Sender::default() };
    let time = Time(1_795_219_200_000 + n as u64 / 2);
    let id = ids::ulid_at(time, &[&n.to_string()]);
    String::from_utf8(Message::new(id, time, "t", None, &sender, &format!("text {n}\n")).to_line()).unwrap()
}

fn read(text: &str) -> (Vec<Message>, Vec<Message>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("topic-t.jsonl");
    fs::write(&path, text).unwrap();
    let mut all = Messages::default();
    all.read(&path, |_| true).unwrap();
    (all.into_sorted(), log::last(&path, "t", 5).unwrap().into_sorted())
}

fn merge(lines: &[usize], all: &[String], markers: &[(usize, usize)]) -> String {
    let mut merged: Vec<&str> = lines.iter().map(|n| all[*n].as_str()).collect();
    let markers = markers.iter().map(|(at, marker)| (at % (merged.len() + 1), MARKERS[marker % MARKERS.len()]));
    for (at, marker) in markers.collect::<Vec<_>>() {
        merged.insert(at, marker);
    }
    merged.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

proptest! {
    #[test]
    fn any_merge_of_any_histories_reads_the_same(
        (count, one, two) in (1usize..24).prop_flat_map(|count| {
            // Each clone has every line at least once, in its own order; unions repeat some.
            let order = move || {
                proptest::collection::vec(0..count, 0..6).prop_flat_map(move |again| {
                    let mut lines: Vec<usize> = (0..count).collect();
                    lines.extend(again);
                    Just(lines).prop_shuffle()
                })
            };
            (Just(count), order(), order())
        }),
        markers in proptest::collection::vec((0usize..100, 0usize..100), 0..6),
    ) {
        let all: Vec<String> = (0..count).map(line).collect();
        let (one, two) = (read(&merge(&one, &all, &markers)), read(&merge(&two, &all, &[])));
        prop_assert_eq!(one.0.len(), count);
        prop_assert_eq!(&one.0[count.saturating_sub(5)..], &one.1[..]);
        prop_assert_eq!(one, two);
    }
}

#[test]
fn of_two_messages_with_one_id_every_clone_reads_the_same() {
    let first = line(7);
    let second = first.replace("text 7", "other text");
    let (one, two) = (read(&format!("{first}{second}")), read(&format!("{second}{first}")));
    assert_eq!(one.0.len(), 1);
    assert_eq!(one, two);
}
