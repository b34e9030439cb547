//! Tests that the compiler leaves out, and those of test crates.

#[cfg(any())]
mod off {
    #[test]
    fn one() {
        assert_eq!(1 + 1, 2);
    }
}

#[cfg(FALSE)]
#[test]
fn compiled_out() {
    assert_eq!(1 + 1, 2);
}

mod inner_attribute {
    #![cfg(any())]

    #[test]
    fn one() {
        assert_eq!(1 + 1, 2);
    }
}

#[cfg(all(test, feature = "slow"))]
mod with_feature {
    #[tokio::test(flavor = "multi_thread")]
    async fn on_tokio() {
        assert_eq!(run().await, 2);
    }

    #[async_std::test]
    #[ignore]
    async fn on_async_std() {
        assert_eq!(run().await, 2);
    }

    #[rstest]
    #[case(1, 2)]
    #[case::zero(0, 1)]
    fn with_cases(#[case] a: i32, #[case] b: i32, #[values(1, 2)] c: i32) {
        assert_eq!(a + 1, b);
    }

    #[test_case(1, 2; "one")]
    #[test_case(2, 3; "two")]
    #[test_case(3, 4 => ignore)]
    fn with_test_case(a: i32, b: i32) {
        assert_eq!(a + 1, b);
    }

    #[wasm_bindgen_test]
    fn in_the_browser() {
        assert_eq!(1 + 1, 2);
    }

    #[quickcheck]
    fn holds(a: u8) -> bool {
        a == a
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10))]

        #[test]
        fn commutes(a in 0..10i32, ref b in any::<i32>()) {
            prop_assert_eq!(a + b, b + a);
        }

        #[test]
        #[ignore]
        fn ignored(a in 0..10i32) {
            prop_assert!(a < 10);
        }
    }

    #[test]
    fn table() {
        for (a, b) in [(1, 2), (2, 3)] {
            assert_eq!(a + 1, b);
        }
        let cases = [(3, 4)];
    }
}

rgtest!(by_macro, |dir: Dir, mut cmd: TestCommand| {
    dir.create("a", "b");
    eqnice!("b", cmd.stdout());
});
