//! The honest way out: `CANNOT: <reason>` on a line of its own in the agent's last message.

/// The reason, when the message says it outside of fences, quotations and indented code.
pub fn said(message: &str) -> Option<String> {
    let mut fence: Option<&str> = None;
    for line in message.lines() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let text = line.trim();
        match fence {
            Some(mark) if text.starts_with(mark) && text.trim_start_matches(&mark[..1]).is_empty() => fence = None,
            Some(_) => {}
            None => {
                fence = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
                if fence.is_none()
                    && indent < 4
                    && !line.starts_with('\t')
                    && let Some(reason) = text.strip_prefix("CANNOT:")
                    && !reason.trim().is_empty()
                {
                    return Some(reason.trim().to_string());
                }
            }
        }
    }
    None
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
