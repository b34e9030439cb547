//! What tests assert, what does not count, and what is never seen.

use pretty_assertions::assert_eq;

#[test]
fn strengths() {
    assert_eq!(f(1), 2, "message {}", 3);
    assert_ne!(f(1), 2);
    assert_eq!(2, f(1));
    assert_eq!(f(1).len(), 2);
    assert!(f(1) == 2);
    assert!(f(1) > 2, "message");
    assert!(x.is_some());
    assert!(!x);
    assert!(x.a == 1 && x.b == 2);
    assert!(x == 1 || x == 2);
    assert!(x.contains("a"));
    assert!(matches!(x, Some(3)));
    assert!(matches!(x, Some(_)));
    assert_matches!(x, Err(Error::Bad(..)));
    assert_matches!(x, Err(_));
    std::assert_eq!(f(1), 3);
    debug_assert!(x.ok);
    insta::assert_snapshot!(x);
    insta::assert_debug_snapshot!(x, @r"a");
    assert_relative_eq!(x, 0.3, epsilon = 0.1);
    expect![["a"]].assert_eq(&x);
    command.assert().success().stdout("a");
    assert_that!(x, eq(3));
    check_value(&x);
    let Some(y) = x else { panic!("none") };
    match x {
        Some(z) => assert_eq!(z, 1),
        None => panic!("none"),
    }
    if y != 3 {
        panic!("not three");
    }
    x.unwrap();
    run()?;
}

#[test]
fn nothing() {
    assert!(true);
    assert_eq!(1, 1);
    assert_eq!(x, x);
    assert!(!false);
    assert!(x || true);
    assert!(1 == 1);
}

#[test]
fn returns_first() {
    return;
    assert_eq!(f(1), 2);
}

#[test]
fn returns_under_condition() {
    if cfg!(windows) {
        return;
    }
    assert_eq!(f(1), 2);
}

#[test]
fn dead() {
    if false {
        assert_eq!(f(1), 1);
    }
    let _check = || {
        assert_eq!(f(1), 2);
    };
    let _ = async {
        assert_eq!(f(1), 3);
    };
    #[cfg(any())]
    {
        assert_eq!(f(1), 4);
    }
    if true {
        assert_eq!(f(1), 5);
    } else {
        assert_eq!(f(1), 6);
    }
}

#[test]
fn swallowed() {
    let _ = std::panic::catch_unwind(|| {
        assert_eq!(f(1), 2);
    });
    let _ = thread::spawn(|| {
        assert_eq!(f(1), 3);
    })
    .join();
}

#[test]
fn empty() {}

fn check_value(x: &u8) {
    assert_eq!(*x, 3);
}
