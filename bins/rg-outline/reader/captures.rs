//! The captures that the reader knows.

use crate::query::Query;

macro_rules! captures {
    ($($field:ident $name:literal)*) => {
        /// The numbers of the captures in a query; none if the query does not have it.
        #[derive(Default)]
        pub struct Captures {
            $(#[doc = concat!("`@", $name, "`")] pub $field: Option<u16>,)*
        }

        impl Captures {
            /// The captures of a query. A capture that is not known and does not begin with `_` is an error.
            pub fn of(query: &Query) -> Result<Captures, String> {
                const KNOWN: &[&str] = &[$($name),*];
                match query.captures.iter().find(|name| !name.starts_with('_') && !KNOWN.contains(&name.as_str())) {
                    Some(name) => Err(format!("no capture is called @{name}")),
                    None => Ok(Captures { $($field: query.capture($name)),* }),
                }
            }
        }
    };
}

captures! {
    alias "alias" assert "assert" body "body" branch "branch" call "call" comment "comment" condition "condition"
    constant "constant" dead "dead" debug "debug" define "define" each "each" expected "expected" focus "focus" function "function"
    handler "handler" how "how" inner "inner" inside "in" line "line" list "list" mark "mark" name "name" returns "return"
    rows "rows" rule "rule" skip "skip" subject "subject" suite "suite" suppress "suppress" swallow "swallow" target "target"
    test "test" throw "throw" value "value" what "what"
}
