//! The honest way out: `CANNOT: <reason>` on a line of its own in the agent's last message.

/// The reason, when the message says it outside of fences, quotations and indented code.
pub fn said(message: &str) -> Option<String> {
    // The open fence: its character and how many there are; only as many or more of them close it.
    let mut fence: Option<(char, usize)> = None;
    for line in message.lines() {
        let text = line.trim();
        match (fence, run(text)) {
            (Some((mark, least)), Some((found, count))) => {
                if found == mark && count >= least && text.chars().all(|c| c == mark) {
                    fence = None;
                }
            }
            (Some(_), None) => {}
            (None, Some(opened)) => fence = Some(opened),
            (None, None) => {
                let indented = line.starts_with("    ") || line.starts_with('\t');
                let reason = text.strip_prefix("CANNOT:").map(str::trim).filter(|reason| !reason.is_empty());
                if let Some(reason) = reason.filter(|_| !indented) {
                    return Some(reason.to_string());
                }
            }
        }
    }
    None
}

/// The fence characters that a line begins with, when there are at least three.
fn run(text: &str) -> Option<(char, usize)> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = text.chars().take_while(|c| *c == mark).count();
    (count >= 3).then_some((mark, count))
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
