//! The honest way out: `CANNOT: <reason>` on a line of its own in the agent's last message.

use review_gate::event::Event;
use review_gate::said;

/// The reason, when the message says it outside of fences, quotations and indented code.
pub fn said(event: &Event) -> Option<String> {
    said::marks(event).cannot
}

#[cfg(test)]
mod tests {
    use super::*;
    use review_gate::event::{Client, Kind};

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
            let mut event = Event::new(Client::Text, Kind::Stop, "/".into());
            event.message = Some(message.into());
            assert_eq!(said(&event).as_deref(), want, "{message:?}");
        }
    }
}
