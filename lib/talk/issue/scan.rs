//! Reads the lines of the file of issues in the form in which this program writes them, without their texts and without copies.
//!
//! A line of any other form is left to [`change::parse`](super::change::parse). A test compares both.

use super::change::{PRIORITIES, Status};
use crate::sys::clock::Time;
use crate::sys::ids;

/// A change without its texts.
#[derive(Debug, PartialEq, Eq)]
pub struct Scanned<'a> {
    /// Its id, as a number in the order of the ids.
    pub id: u128,
    /// When it was made.
    pub at: Time,
    /// The id of the issue.
    pub issue: u128,
    /// Who made it, as JSON.
    pub by: &'a [u8],
    /// Whether it sets the title.
    pub has_title: bool,
    /// The status that it sets.
    pub status: Option<Status>,
    /// The priority that it sets.
    pub priority: Option<u8>,
    /// Until when the sender claims the issue.
    pub claim: Option<Time>,
    /// Whether the claim ends.
    pub release: bool,
    /// The claim under which the sender works.
    pub under: Option<u128>,
    /// Whether it counts although another one has claimed the issue.
    pub force: bool,
}

/// Scans the lines of one file.
#[derive(Default)]
pub struct Scanner {
    /// The day of the last time that was read, and its first moment.
    day: Option<([u8; 11], Time)>,
    /// The id of the last issue that was read, and its number.
    issue: Option<([u8; 26], u128)>,
}

impl Scanner {
    /// Reads a line. None if it is of another form: whether it is a change is not known then.
    pub fn scan<'a>(&mut self, line: &'a [u8]) -> Option<Scanned<'a>> {
        // Without an early end the processor compares many bytes at once.
        let has_control = line.iter().fold(false, |found, byte| found | (*byte < b' '));
        if has_control || std::str::from_utf8(line).is_err() {
            return None;
        }
        let mut rest = Rest { bytes: line, is_first: true };
        rest.literal(b"{\"id\":\"")?;
        let own = rest.take(26)?;
        let id = ids::number_of(own)?;
        rest.literal(b"\",\"v\":1,\"kind\":\"change\",\"at\":\"")?;
        let at = self.time(rest.take(24)?)?;
        rest.literal(b"\",\"issue\":\"")?;
        let issue = self.issue(rest.take(26)?, own, id)?;
        rest.literal(b"\",\"by\":")?;
        let by = rest.holder()?;
        rest.literal(b",\"set\":{")?;
        let has_title = rest.text(b"\"title\":")?;
        rest.text(b"\"body\":")?;
        let status = match rest.word(b"\"status\":\"")? {
            Some(word) => Some(Status::ALL.into_iter().find(|status| status.word().as_bytes() == word)?),
            None => None,
        };
        let priority = rest.priority()?;
        rest.texts(b"\"tags\":[")?;
        rest.texts(b"\"untags\":[")?;
        rest.text(b"\"comment\":")?;
        let claim = match rest.word(b"\"claim\":\"")? {
            Some(word) => Some(self.time(word)?),
            None => None,
        };
        let release = rest.name(b"\"release\":true");
        let under = match rest.word(b"\"under\":\"")? {
            Some(word) => Some(ids::number_of(word)?),
            None => None,
        };
        let force = rest.name(b"\"force\":true");
        rest.text(b"\"key\":")?;
        rest.text(b"\"commit\":")?;
        rest.literal(b"}}")?;
        rest.bytes.is_empty().then_some(Scanned {
            id,
            at,
            issue,
            by,
            has_title,
            status,
            priority,
            claim,
            release,
            under,
            force,
        })
    }

    /// The number of an issue's id. The first change of an issue has its id, and the next ones often follow.
    fn issue(&mut self, text: &[u8], own: &[u8], id: u128) -> Option<u128> {
        let text: &[u8; 26] = text.try_into().ok()?;
        let number = match &self.issue {
            _ if text == own => id,
            Some((known, number)) if known == text => return Some(*number),
            _ => ids::number_of(text)?,
        };
        self.issue = Some((*text, number));
        Some(number)
    }

    /// The time of a text such as `2026-11-21T12:00:00.000Z`.
    fn time(&mut self, text: &[u8]) -> Option<Time> {
        let (day, clock) = text.split_first_chunk::<11>()?;
        let digits = |at: usize, limit: u64| {
            let (tens, ones) = (clock.get(at)?.wrapping_sub(b'0'), clock.get(at + 1)?.wrapping_sub(b'0'));
            let number = u64::from(tens) * 10 + u64::from(ones);
            (tens < 10 && ones < 10 && number < limit).then_some(number)
        };
        let thousandth = clock.get(11)?.wrapping_sub(b'0');
        let is_plain = clock.len() == 13 && [clock[2], clock[5], clock[8], clock[12]] == *b"::.Z" && thousandth < 10;
        let seconds = digits(0, 24)? * 3600 + digits(3, 60)? * 60 + digits(6, 60)?;
        let millis = seconds * 1000 + digits(9, 100)? * 10 + u64::from(thousandth);
        let begin = match &self.day {
            Some((known, begin)) if known == day => *begin,
            _ => {
                let text = [std::str::from_utf8(day).ok()?, "00:00:00.000Z"].concat();
                let begin = Time::parse(&text)?;
                self.day = Some((*day, begin));
                begin
            }
        };
        is_plain.then_some(Time(begin.0 + millis))
    }
}

/// The rest of a line. What compares a constant with it is inlined, so that the comparison needs no call.
struct Rest<'a> {
    bytes: &'a [u8],
    /// No field was read yet.
    is_first: bool,
}

impl<'a> Rest<'a> {
    #[inline(always)]
    fn literal(&mut self, text: &[u8]) -> Option<()> {
        self.bytes = self.bytes.strip_prefix(text)?;
        Some(())
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    /// The text up to the next quote. Escapes of two characters may be in it.
    fn string(&mut self) -> Option<&'a [u8]> {
        let mut at = 0;
        loop {
            at += memchr::memchr2(b'"', b'\\', self.bytes.get(at..)?)?;
            if self.bytes[at] == b'"' {
                let text = &self.bytes[..at];
                self.bytes = &self.bytes[at + 1..];
                return Some(text);
            }
            if !b"\"\\/bfnrt".contains(self.bytes.get(at + 1)?) {
                return None;
            }
            at += 2;
        }
    }

    /// A text without escapes up to the next quote.
    fn plain(&mut self) -> Option<&'a [u8]> {
        self.string().filter(|text| !text.contains(&b'\\'))
    }

    fn holder(&mut self) -> Option<&'a [u8]> {
        let begin = self.bytes;
        self.literal(b"{\"from\":\"")?;
        self.plain()?;
        if self.literal(b",\"session\":\"").is_some() {
            self.plain()?;
        }
        self.literal(b"}")?;
        Some(&begin[..begin.len() - self.bytes.len()])
    }

    /// Whether the next field begins so.
    #[inline(always)]
    fn name(&mut self, name: &[u8]) -> bool {
        let rest = if self.is_first { Some(self.bytes) } else { self.bytes.strip_prefix(b",") };
        match rest.and_then(|rest| rest.strip_prefix(name)) {
            Some(rest) => {
                (self.bytes, self.is_first) = (rest, false);
                true
            }
            None => false,
        }
    }

    /// Skips a field with a text. Returns whether it is there.
    #[inline(always)]
    fn text(&mut self, name: &[u8]) -> Option<bool> {
        if !self.name(name) {
            return Some(false);
        }
        self.literal(b"\"")?;
        self.string().map(|_| true)
    }

    /// The value of a field with a plain text.
    #[inline(always)]
    fn word(&mut self, name: &[u8]) -> Option<Option<&'a [u8]>> {
        if self.name(name) { self.plain().map(Some) } else { Some(None) }
    }

    fn priority(&mut self) -> Option<Option<u8>> {
        if !self.name(b"\"priority\":") {
            return Some(None);
        }
        let number = self.take(1)?[0].wrapping_sub(b'0');
        PRIORITIES.contains(&number).then_some(Some(number))
    }

    /// Skips a field with a list of texts that is not empty.
    fn texts(&mut self, name: &[u8]) -> Option<()> {
        if !self.name(name) {
            return Some(());
        }
        loop {
            self.literal(b"\"")?;
            self.string()?;
            if self.literal(b",").is_none() {
                return self.literal(b"]");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::talk::issue::change::{self, Change, Fields, Holder, Line};
    use proptest::prelude::*;

    fn changes() -> impl Strategy<Value = Change> {
        let text = || proptest::option::of("[ -~\n\t\u{1}é\u{1F980}]{0,12}");
        let list = || proptest::collection::vec("[a-z\"]{0,4}", 0..3);
        let time = || (0u64..4_000_000_000_000).prop_map(Time);
        let by = ("[a-z\"é]{0,6}", text()).prop_map(|(from, session)| Holder { from, session });
        let flags = (any::<bool>(), any::<bool>());
        let status = proptest::option::of(0..5usize).prop_map(|at| at.map(|at| Status::ALL[at]));
        let under = proptest::option::of(prop_oneof![time().prop_map(|at| ids::ulid_of(at, &["u"])), Just("u".into())]);
        let texts = (text(), text(), text(), text(), list(), list());
        let more = (status, proptest::option::of(1u8..6), proptest::option::of(time()), flags, under);
        (time(), time(), by, texts, more).prop_map(|(id, at, by, texts, more)| {
            let (title, body, comment, key, tags, untags) = texts;
            let (status, priority, claim, (release, force), under) = more;
            let commit = key.clone();
            let set = Fields {
                title,
                body,
                status,
                priority,
                tags,
                untags,
                deps: Vec::new(),
                comment,
                claim,
                release,
                under,
                force,
                key,
                commit,
            };
            Change::new(ids::ulid_of(id, &["i"]), at, &ids::ulid_of(at, &["j"]), &by, set)
        })
    }

    fn agrees(line: &[u8]) -> Option<bool> {
        let Some(scanned) = Scanner::default().scan(line) else { return Some(false) };
        let Line::Change(it) = change::parse(line) else { return None };
        let by = serde_json::to_vec(&it.by).unwrap();
        let read = Scanned {
            id: ids::number_of(it.id.as_bytes())?,
            at: it.at,
            issue: ids::number_of(it.issue.as_bytes())?,
            by: &by,
            has_title: it.set.title.is_some(),
            status: it.set.status,
            priority: it.set.priority,
            claim: it.set.claim,
            release: it.set.release,
            under: it.set.under.as_ref().and_then(|id| ids::number_of(id.as_bytes())),
            force: it.set.force,
        };
        (scanned == read && it.set.deps.is_empty()).then_some(true)
    }

    proptest! {
        /// What is scanned is what the parser reads, for whole lines and for lines with changed bytes.
        #[test]
        fn a_line_that_is_scanned_is_read_the_same(
            change in changes(),
            (at, byte) in (any::<proptest::sample::Index>(), any::<u8>()),
            cut in any::<proptest::sample::Index>(),
        ) {
            let line = change.to_line().trim_ascii().to_vec();
            prop_assert!(agrees(&line).is_some(), "{}", String::from_utf8_lossy(&line));
            let mut wrong = line.clone();
            wrong[at.index(line.len())] = byte;
            prop_assert!(agrees(&wrong).is_some(), "{}", String::from_utf8_lossy(&wrong));
            prop_assert!(agrees(&line[..cut.index(line.len())]).is_some());
        }
    }

    #[test]
    fn an_ordinary_line_is_scanned() {
        let by = Holder { from: "ann".into(), session: Some("s".into()) };
        let set = Fields {
            title: Some("one".into()),
            body: Some("a\n\"b\"".into()),
            status: Some(Status::InProgress),
            tags: vec!["a".into(), "b".into()],
            claim: Some(Time(1_795_219_200_123)),
            ..Fields::default()
        };
        let id = ids::ulid_of(Time(1), &[]);
        assert_eq!(
            agrees(Change::new(id.clone(), Time(951_782_399_999), &id, &by, set).to_line().trim_ascii()),
            Some(true)
        );
    }
}
