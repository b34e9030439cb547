#[test]
fn needs_a_server() {
    if std::env::var("SERVER").is_err() {
        return;
    }
    assert!(connect().is_ok());
    assert!(connect().unwrap().is_open());
}

#[test]
fn ends_early_by_a_value() {
    let found = find();
    if found.is_none() {
        return;
    }
    assert_eq!(found, Some(1));
}
