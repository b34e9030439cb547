//! Tests of journals: chained, torn, edited, and with other files in their place.

use super::*;
use crate::store::record::{Close, Notice};
use proptest::prelude::*;
use std::io::Write;

fn scratch() -> (tempfile::TempDir, JournalPath) {
    let dir = tempfile::tempdir().unwrap();
    let path = JournalPath::new(dir.path().join("j.jsonl"), JournalKind::Task);
    (dir, path)
}

fn close(n: usize) -> Close {
    Close { event: n.to_string(), why: "x".repeat(n * 3000 % 7000), snapshot: None }
}

fn events(journal: &Journal) -> Vec<String> {
    journal.of::<Close>().map(|close| close.event.clone()).collect()
}

#[test]
fn records_are_chained_and_read_in_order() {
    let (_dir, path) = scratch();
    for n in 0..5 {
        append(&path, "rg-receipt", close(n)).unwrap();
    }
    let journal = Journal::open(&path).unwrap();
    assert_eq!(events(&journal), ["0", "1", "2", "3", "4"]);
    assert_eq!((journal.lines().len(), journal.chain()), (5, &Chain::default()));
    assert!(journal.lines().iter().all(|line| line.is_in_chain));
}

#[test]
fn a_torn_last_line_is_ended_and_skipped() {
    let (_dir, path) = scratch();
    append(&path, "rg-receipt", close(1)).unwrap();
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"v\":1,\"kind\":\"close").unwrap();
    assert_eq!(events(&Journal::open(&path).unwrap()), ["1"]);
    append(&path, "rg-receipt", close(2)).unwrap();
    let journal = Journal::open(&path).unwrap();
    assert_eq!(events(&journal), ["1", "2"]);
    assert_eq!((journal.lines().len(), journal.chain().skipped, journal.chain().broken.len()), (3, 1, 0));
}

#[test]
fn an_edited_line_breaks_the_chain() {
    let (_dir, path) = scratch();
    for n in 0..3 {
        append(&path, "rg-receipt", close(n)).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap().replace("\"event\":\"1\"", "\"event\":\"7\"");
    std::fs::write(&path, text).unwrap();
    assert_eq!(Journal::open(&path).unwrap().chain().broken, [3]);
}

#[test]
fn an_unlocked_record_is_not_in_the_chain() {
    let (_dir, path) = scratch();
    append(&path, "rg-receipt", close(0)).unwrap();
    append_unlocked(&path, "rg-receipt", close(1)).unwrap();
    append(&path, "rg-receipt", close(2)).unwrap();
    let journal = Journal::open(&path).unwrap();
    assert_eq!(events(&journal), ["0", "1", "2"]);
    assert!(journal.chain().broken.is_empty());
    assert_eq!(journal.chain().unlocked, [3]);
}

#[test]
fn a_kind_is_accepted_only_from_its_writer_in_its_journal() {
    let (_dir, path) = scratch();
    assert!(append(&path, "rg-check", close(0)).unwrap_err().to_string().contains("rg-check writes no close"));
    let notice = Notice { task: None, text: "x".into(), receipt: None };
    assert!(append(&path, "rg-check", notice).unwrap_err().to_string().contains("notice"));
    assert!(!path.exists());
}

#[test]
fn a_fifo_in_its_place_is_an_error_at_once() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let (_dir, path) = scratch();
    mknodat(CWD, &*path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    for error in [
        Journal::open(&path).map(drop).unwrap_err(),
        append(&path, "rg-receipt", close(0)).map(drop).unwrap_err(),
        head(&path).map(drop).unwrap_err(),
        search::<Close>(&path, "0").map(drop).unwrap_err(),
    ] {
        assert!(error.to_string().contains("a FIFO"), "{error}");
    }
}

#[test]
fn a_search_finds_records_that_contain_the_string() {
    let (_dir, path) = scratch();
    for n in 0..4 {
        append(&path, "rg-receipt", close(n)).unwrap();
    }
    let found: Vec<Close> = search(&path, "2").unwrap();
    assert_eq!(found, [close(2)]);
}

proptest! {
    #[test]
    fn any_prefix_of_a_journal_yields_a_prefix_of_its_records(cut in 0usize..3000) {
        let (_dir, path) = scratch();
        for n in 0..6 {
            append(&path, "rg-receipt", close(n % 2)).unwrap();
        }
        let whole = std::fs::read(&path).unwrap();
        let all = events(&Journal::read(&whole));
        std::fs::write(&path, &whole[..cut.min(whole.len())]).unwrap();
        let some = events(&Journal::open(&path).unwrap());
        prop_assert_eq!(&some[..], &all[..some.len()]);
        append(&path, "rg-receipt", close(0)).unwrap();
        prop_assert_eq!(events(&Journal::open(&path).unwrap()).len(), some.len() + 1);
    }

    #[test]
    fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let (_dir, path) = scratch();
        std::fs::write(&path, &bytes).unwrap();
        let before = Journal::open(&path).unwrap();
        append(&path, "rg-receipt", close(0)).unwrap();
        let after = Journal::open(&path).unwrap();
        prop_assert_eq!(events(&after).len(), 1);
        prop_assert_eq!(&after.chain().broken, &before.chain().broken);
    }
}

#[test]
fn a_line_is_found_by_the_position_at_which_it_ends_and_a_torn_one_has_no_digest() {
    let (_dir, path) = scratch();
    append(&path, "rg-receipt", close(0)).unwrap();
    let JournalHead { length: first, head: digest } = head(&path).unwrap();
    append(&path, "rg-receipt", close(1)).unwrap();
    let earlier = |position| head_and_earlier(&path, position).unwrap().1;
    assert_eq!((earlier(first), earlier(first - 1), earlier(1 << 20), earlier(0)), (digest.clone(), None, None, None));
    assert!(Journal::open(&path).unwrap().has_line(digest.as_deref().unwrap()));
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert_eq!(head(&path).unwrap(), JournalHead { length: whole.len() as u64 - 1, head: None });
    std::fs::write(&path, &whole[first as usize..]).unwrap();
    assert!(!Journal::open(&path).unwrap().has_line(digest.as_deref().unwrap()));
    assert_eq!(last(&path).unwrap().map(|record| record.body), Some(Body::Close(close(1))));
}
