//! The honest way out: `CANNOT: <reason>` on a line of its own in the agent's last message.

use review_gate::text::said_lines;

/// The reason, when the message says it outside of fences, quotations and indented code.
pub fn said(message: &str) -> Option<String> {
    let reasons = said_lines(message).into_iter().filter_map(|line| line.trim().strip_prefix("CANNOT:"));
    reasons.map(str::trim).find(|reason| !reason.is_empty()).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_of_its_own_counts() {
        for (message, want) in [
            ("CANNOT: the spec contradicts itself", Some("the spec contradicts itself")),
            ("I tried.\n\n  CANNOT: no network  \nSorry.", Some("no network")),
            ("```\nCANNOT: x\n```\n", None),
            ("~~~\nCANNOT: x\n~~~\nCANNOT: y", Some("y")),
            ("````\n```\nCANNOT: x\n````", None),
            ("> CANNOT: x", None),
            ("    CANNOT: x", None),
            ("\tCANNOT: x", None),
            ("I will not say CANNOT: x", None),
            ("CANNOT:", None),
            ("CANNOT: ", None),
            ("cannot: x", None),
            ("", None),
        ] {
            assert_eq!(said(message).as_deref(), want, "{message:?}");
        }
    }
}
