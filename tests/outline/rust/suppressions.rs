//! Suppressed lint, unfinished work and debugging aids.
#![allow(dead_code, clippy::too_many_lines)]
#![cfg_attr(test, allow(clippy::unwrap_used))]
#![warn(missing_docs)]

#[allow(unused_variables)]
fn a(x: u8) {
    // TODO: use x
    #[expect(clippy::cast_lossless, reason = "a reason")]
    let y = dbg!(x as u32);
    todo!("later")
}

#[cfg_attr(coverage_nightly, coverage(off))]
#[cfg_attr(windows, allow(unused_imports))]
mod b {
    #![allow(unused)]
    /* FIXME: nothing here */
    fn c() -> &'static str {
        "TODO in a text is none, and // no comment"
    }
}
