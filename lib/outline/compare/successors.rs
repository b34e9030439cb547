//! Tests of tests that others succeed: under another name, in another file or in another language.

use super::tests::{case, file, words};
use super::*;
use crate::outline::Mark;

const A: &str = "slug(a) toBe x";
const B: &str = "slug(b) toBe y";

#[test]
fn a_test_in_the_same_file_with_more_words_and_as_many_demands_succeeds() {
    let one = |then: &Test, now: &Test| {
        words(&[(file("t", std::slice::from_ref(then)), file("t", std::slice::from_ref(now)))])
    };
    let old = case("drops commas", &[A, "x toBe 1", "y toBe 2"]);
    let found = one(&old, &case("drops commas and dots", &[B, "z toBe 4", "w toBe 3"]));
    assert_eq!(found, ["t:drops commas Renamed t:drops commas and dots"]);
    for other in [
        case("drops commas and dots", &[B, "z toBe 4"]),
        case("drops commas and dots", &["trim(b) toBe y", "z toBe 4", "w toBe 3"]),
        case("keeps the dots", &[B, "z toBe 4", "w toBe 3"]),
        Test { skip: Some(Mark::default()), ..case("drops commas and dots", &[B, "z toBe 4", "w toBe 3"]) },
    ] {
        assert_eq!(one(&old, &other).len(), 2, "{}: one is gone, the other is new", other.name);
    }
}

#[test]
fn a_test_of_the_same_words_succeeds_in_another_file_and_language() {
    let two = |then: &Test, now: &Test| {
        words(&[(file("t.swift", std::slice::from_ref(then)), None), (None, file("u.kt", std::slice::from_ref(now)))])
    };
    let old = case("testDropsAllCommas", &[A]);
    let other = |name: &str, asserts: &[&str]| Test { suite: vec!["u".into()], ..case(name, asserts) };
    assert_eq!(two(&old, &other("drops all commas", &[B])).len(), 1);
    assert_eq!(two(&old, &other("drops all commas", &[])).len(), 2, "it asserts less");
    assert_eq!(two(&old, &other("drops all commas", &["trim(b) toBe y"])).len(), 2, "it is about something else");
    assert_eq!(two(&old, &other("drops all dots", &["slug(c) toBe y"])).len(), 2, "another name");
}
