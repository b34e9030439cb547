//! Tests of comparisons: outlines that are built by hand.

use super::*;
use crate::outline::{Assert, Digest, Mark, Strength};
use proptest::prelude::*;

fn digest(text: &str) -> Digest {
    Digest(text.bytes().fold(7, |hash, byte| hash.wrapping_mul(31) ^ u64::from(byte)))
}

/// An assertion `subject how expected`.
fn assert(text: &str) -> Assert {
    let mut words = text.split(' ');
    let mut next = || words.next().unwrap_or_default().to_string();
    let (subject, how, expected) = (next(), next(), next());
    let strength = match how.as_str() {
        "true" => Strength::Nothing,
        "toBeDefined" => Strength::Something,
        "toMatch" | "greaterThan" => Strength::Part,
        _ => Strength::Exact,
    };
    Assert { how, subject, expected, strength, line: 1 }
}

/// A test `suite > name` that asserts these, and calls what its subjects call.
pub fn case(name: &str, asserts: &[&str]) -> Test {
    let mut path: Vec<String> = name.split(" > ").map(str::to_string).collect();
    let name = path.pop().unwrap();
    let asserts: Vec<Assert> = asserts.iter().map(|text| assert(text)).collect();
    let called = asserts.iter().filter_map(|assert| Some(assert.subject.split_once('(')?.0.to_string()));
    let mut calls: Vec<String> = called.chain(["expect".to_string()]).collect();
    calls.sort();
    calls.dedup();
    let body = digest(&format!("{asserts:?}"));
    Test { name, suite: path, body, tokens: 20, asserts, calls, ..Test::default() }
}

pub fn file(path: &str, tests: &[Test]) -> Option<Outline> {
    Some(Outline { path: path.into(), tests: tests.to_vec(), ..Outline::default() })
}

fn rows(test: Test, rows: &[&str]) -> Test {
    let digest = |row: &&str| if *row == "..." { Digest(0) } else { digest(row) };
    Test { rows: Some(rows.iter().map(digest).collect()), ..test }
}

/// What became of each old test, and which tests are new, in words.
pub fn words(files: &[BothSides]) -> Vec<String> {
    let found = compare(files);
    let name = |side, place| {
        let test = test(files, side, place).unwrap();
        let path = &outline(files, side, place.file).unwrap().path;
        format!("{path}:{}{}", test.suite.iter().map(|s| format!("{s}>")).collect::<String>(), test.name)
    };
    let mut words = Vec::new();
    for pair in &found.pairs {
        let (then, now) = (name(Side::Then, pair.then), name(Side::Now, pair.now));
        let parts: Vec<String> = pair.parts.iter().map(|part| format!(" + {}", name(Side::Now, *part))).collect();
        let lost = if pair.lost_rows > 0 { format!(" - {} rows", pair.lost_rows) } else { String::new() };
        words.push(format!("{then} {:?} {now}{}{lost}", pair.how, parts.concat()));
    }
    for one in &found.merged {
        words.push(format!("{} {:?} {}", name(Side::Then, one.then), one.into, name(Side::Now, one.now)));
    }
    words.extend(found.gone.iter().map(|place| format!("{} gone", name(Side::Then, *place))));
    words.extend(found.new.iter().map(|place| format!("{} new", name(Side::Now, *place))));
    words.sort();
    words
}

const A: &str = "slug(a) toBe x";
const B: &str = "slug(b) toBe y";
const C: &str = "trim(c) toBe z";

#[test]
fn a_test_is_found_by_its_name_its_body_and_what_it_asserts() {
    let one = |then: &[Test], now: &[Test]| words(&[(file("t", then), file("t", now))]);
    assert_eq!(one(&[case("a", &[A])], &[case("a", &[B])]), ["t:a Kept t:a"]);
    assert_eq!(one(&[case("a", &[A])], &[case("s > a", &[A])]), ["t:a Moved t:s>a"]);
    assert_eq!(one(&[case("s > a", &[A])], &[case("r > a", &[B])]), ["t:s>a Moved t:r>a"]);
    assert_eq!(one(&[case("a", &[A])], &[case("b", &[A])]), ["t:a Renamed t:b"]);
    assert_eq!(one(&[case("a", &[A, B])], &[case("b", &[A, C])]), ["t:a Renamed t:b"]);
    assert_eq!(one(&[case("a", &[A])], &[case("b", &[C])]), ["t:a gone", "t:b new"]);
    let issue = |then: &str, now: &str| one(&[case(then, &[A])], &[case(now, &[C])]).len();
    assert_eq!(issue("sorts names of a stream issue 2393", "sorts names of stdin issue 2393"), 1);
    assert_eq!(issue("sorts names of a stream issue 2393", "sorts names of stdin issue 2394"), 2);
    // A copy that was there before takes no other test's place.
    assert_eq!(one(&[case("a", &[A]), case("b", &[A])], &[case("b", &[A])]), ["t:a gone", "t:b Kept t:b"]);
    let swapped = one(&[case("a", &[A]), case("b", &[C])], &[case("b", &[A]), case("a", &[C])]);
    assert_eq!(swapped, ["t:a Kept t:a", "t:b Kept t:b"]);
}

#[test]
fn a_test_is_found_in_another_file() {
    let two = |then: &[Test], now: &[Test]| words(&[(file("t", then), None), (None, file("u", now))]);
    assert_eq!(two(&[case("a", &[A])], &[case("a", &[A])]), ["t:a Moved u:a"]);
    assert_eq!(two(&[case("s > a", &[A])], &[case("s > a", &[C])]), ["t:s>a Moved u:s>a"]);
    assert_eq!(two(&[case("a", &[A])], &[case("b", &[A])]), ["t:a Renamed u:b"]);
    assert_eq!(two(&[case("a", &[A])], &[case("b", &[C])]), ["t:a gone", "u:b new"]);
    // One arrival replaces one test.
    let three = [
        (file("t", &[case("a", &[A])]), None),
        (file("u", &[case("a", &[A])]), None),
        (None, file("v", &[case("a", &[A])])),
    ];
    assert_eq!(words(&three), ["t:a Moved v:a", "u:a gone"]);
}

#[test]
fn tests_become_rows_and_rows_become_tests() {
    let one = |then: &[Test], now: &[Test]| words(&[(file("t", then), file("t", now))]);
    let three = [case("a", &["slug(1) toBe 1"]), case("b", &["slug(2) toBe 4"]), case("c", &["slug(3) toBe 9"])];
    let table = |list: &[&str]| rows(case("slugs", &["slug(n) toBe m"]), list);
    let count = |found: Vec<String>, word: &str| found.iter().filter(|line| line.contains(word)).count();
    let all = |list: &[&str]| one(&three, &[table(list)]);
    assert_eq!(count(all(&["1", "2", "3"]), "gone"), 0);
    assert_eq!(count(all(&["1", "2"]), "gone"), 1, "a row fewer");
    assert_eq!(count(all(&["..."]), "UnknownRows") + count(all(&["..."]), "Renamed"), 3);
    let skipped = Test { skip: Some(Mark::default()), ..table(&["1", "2", "3"]) };
    assert!(count(one(&three, &[skipped]), "gone") >= 2, "a table that does not run takes nothing in");
    // And back.
    assert_eq!(count(one(&[table(&["1", "2", "3"])], &three), "rows"), 0);
    assert_eq!(one(&[table(&["1", "2", "3"])], &[table(&["1"])]), ["t:slugs Kept t:slugs - 2 rows"]);
    assert_eq!(one(&[table(&["1", "2", "3"])], &[table(&["4", "5", "6"])]), ["t:slugs Kept t:slugs"]);
    assert_eq!(one(&[table(&["1", "2", "3"])], &[table(&["..."])]), ["t:slugs Kept t:slugs"]);
    // Rows that moved to another table.
    let other = |list: &[&str]| rows(case("others", &["other(n) toBe m"]), list);
    let found = one(&[table(&["1", "2", "3"]), other(&["7"])], &[table(&["1", "2"]), other(&["3", "7"])]);
    assert_eq!(count(found, "rows"), 0);
}

#[test]
fn merged_and_split_tests_are_not_gone() {
    let one = |then: &[Test], now: &[Test]| words(&[(file("t", then), file("t", now))]);
    assert_eq!(one(&[case("a", &[A]), case("c", &[C])], &[case("a", &[A, C])]), ["t:a Kept t:a", "t:c Asserts t:a"]);
    assert_eq!(one(&[case("a", &[A, C])], &[case("a", &[A]), case("trims", &[C])]), ["t:a Kept t:a + t:trims"]);
    // What was asserted there before is no arrival.
    let known = one(&[case("a", &[A, C]), case("c", &[C])], &[case("a", &[A, C])]);
    assert_eq!(known, ["t:a Kept t:a", "t:c gone"]);
}

#[test]
fn what_is_asserted_less_is_a_loss() {
    let kinds = |then: &[&str], now: &[&str]| {
        let of = |texts: &[&str]| texts.iter().map(|text| assert(text)).collect::<Vec<_>>();
        losses(&of(then), &of(now)).iter().map(|loss| loss.kind).collect::<Vec<_>>()
    };
    for (then, now) in [
        (&[A, B][..], &[B, A][..]),
        (&["x toMatch a"], &["x toBe a"]),
        (&["x toBe 1"], &["x toBe 2"]),
        (&["x toBe 1"], &["y toBe 1"]),
        (&["x greaterThan 1"], &["x greaterThan 2"]),
        (&["x toMatch .*"], &["x toMatch a"]),
        (&["1 true"], &[]),
        (&["x toBe \"a\""], &["x toBe 'a'", "y toBe 1"]),
    ] {
        assert_eq!(kinds(then, now), [], "{then:?} {now:?}");
    }
    assert_eq!(kinds(&[A, B], &[A]), [LossKind::Gone]);
    assert_eq!(kinds(&["x toBe 1"], &["x toBeDefined"]), [LossKind::Weaker]);
    assert_eq!(kinds(&["x toBe 1"], &["1 true"]), [LossKind::Replaced]);
    assert_eq!(kinds(&["x toBe 1"], &["x toBe x"]), [LossKind::Wider]);
    assert_eq!(kinds(&["x toMatch /a/"], &["x toMatch /.*/"]), [LossKind::Wider]);
    assert_eq!(kinds(&["x greaterThan 5"], &["x greaterThan 0"]), [LossKind::Wider]);
    assert_eq!(kinds(&["x toBe 1"], &["x toBe expect.anything()"]), [LossKind::Wider]);
}

#[test]
fn the_subject_of_a_test_is_gone_with_its_definition() {
    let source = |names: &[&str]| {
        Some(Outline {
            path: "slug.js".into(),
            names: names.iter().map(|n| n.to_string()).collect(),
            ..Outline::default()
        })
    };
    let about = |then: &[&str], now: Option<Outline>| {
        let files = [(source(then), now), (file("slug.test.js", &[case("a", &[A])]), None)];
        let place = Place { file: 1, at: 0 };
        let subjects = Names::of(&files).subjects(&files, place, |file| file == 0).join(" ");
        (subjects, Names::removed_file(&files, place, |file| file == 0).map(str::to_string))
    };
    assert_eq!(about(&["slug", "trim"], source(&["trim"])), ("slug".into(), None));
    assert_eq!(about(&["slug", "trim"], source(&["slug"])), ("".into(), None), "another name");
    assert_eq!(about(&[], None), ("".into(), Some("slug.js".into())));
    assert_eq!(stem_of("src/slug.js"), ["slug", "slug", "slug", "slug"]);
}

fn stem_of(path: &str) -> [String; 4] {
    [path, "t/test_slug.py", "SlugTest.java", "slug_test.go"].map(names::stem)
}

#[test]
fn a_helper_asserts_for_the_tests_that_call_it() {
    let helper = |name: &str, calls: &[&str], asserts: &[&str]| crate::outline::Helper {
        name: name.into(),
        line: 1,
        body: digest(name),
        asserts: asserts.iter().map(|text| assert(text)).collect(),
        calls: calls.iter().map(|call| call.to_string()).collect(),
        ..Default::default()
    };
    let helpers = vec![helper("outer", &["inner", "outer"], &[]), helper("inner", &["outer"], &[A])];
    let with = Some(Outline { path: "h".into(), helpers, ..Outline::default() });
    let mut test = case("a", &[]);
    test.calls = vec!["outer".into()];
    let files = [(with.clone(), with), (None, file("t", &[test.clone()]))];
    let helpers = Helpers::of(&files, Side::Now, |_, _| true);
    assert!(helpers.demands(1, &test) && helpers.is_defined("inner") && !helpers.is_defined("other"));
    assert!(helpers.asserts(1, &test.calls, &["inner"].into()).is_empty());
    let pairs: Vec<bool> = HelperPair::all(&files).iter().map(|pair| pair.now == Some(pair.then)).collect();
    assert_eq!(pairs, [true, true]);
}

/// Some tests, each with another line.
fn any_tests() -> impl Strategy<Value = Vec<Test>> {
    let one = ("[ab]( > [ab])?", proptest::collection::vec(prop_oneof![Just(A), Just(B), Just(C)], 0..3), 0usize..4);
    proptest::collection::vec(one, 0..6).prop_map(|all| {
        let build = |(line, (name, asserts, count)): (usize, (String, Vec<&str>, usize))| {
            let test = Test { line: line as u64 + 1, ..case(&name, &asserts) };
            let list: Vec<String> = (0..count).map(|n| n.to_string()).collect();
            let list: Vec<&str> = list.iter().map(String::as_str).collect();
            if count == 0 { test } else { rows(test, &list) }
        };
        all.into_iter().enumerate().map(build).collect()
    })
}

fn any_files() -> impl Strategy<Value = Vec<BothSides>> {
    proptest::collection::vec((any_tests(), any_tests()), 1..4).prop_map(|files| {
        let both = |(at, (then, now)): (usize, (Vec<Test>, Vec<Test>))| {
            let path = format!("f{at}");
            (file(&path, &then), file(&path, &now))
        };
        files.into_iter().enumerate().map(both).collect()
    })
}

proptest! {
    #[test]
    fn every_old_test_has_one_end_and_no_test_pairs_twice(files in any_files()) {
        let found = compare(&files);
        let mut then: Vec<Place> = found.pairs.iter().map(|pair| pair.then).collect();
        then.extend(found.merged.iter().map(|one| one.then).chain(found.gone.iter().copied()));
        let mut now: Vec<Place> = found.pairs.iter().flat_map(|pair| pair.parts.iter().copied().chain([pair.now])).collect();
        now.extend(&found.new);
        let all = |side| -> usize { (0..files.len()).filter_map(|at| outline(&files, side, at)).map(|o| o.tests.len()).sum() };
        for (mut places, side) in [(then, Side::Then), (now, Side::Now)] {
            let count = places.len();
            places.sort_unstable();
            places.dedup();
            prop_assert_eq!((places.len(), count), (all(side), all(side)));
        }
    }

    #[test]
    fn the_order_of_files_and_tests_changes_nothing(files in any_files()) {
        let mut turned: Vec<BothSides> = files.iter().rev().cloned().collect();
        for (then, now) in &mut turned {
            then.iter_mut().chain(now).for_each(|outline| outline.tests.reverse());
        }
        prop_assert_eq!(words(&files), words(&turned));
    }

    #[test]
    fn equal_files_have_nothing_gone_and_nothing_new(tests in any_tests()) {
        let found = compare(&[(file("t", &tests), file("t", &tests))]);
        prop_assert!(found.gone.is_empty() && found.new.is_empty() && found.merged.is_empty());
        prop_assert!(found.pairs.iter().all(|pair| pair.lost_rows == 0 && pair.parts.is_empty()));
    }
}
