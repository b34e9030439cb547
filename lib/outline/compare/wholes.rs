//! Wholes: assertions that demand all of what another form demanded in part, or in a record.

use super::counts;
use super::features::plain;
use super::membership;
use super::values::{holds_words, is_open_value};
use crate::outline::{Assert, Strength};

/// `x toContain 1`, or `1 in x`, and `x toEqual [2]`.
pub fn is_whole_of(a: &Assert, b: &Assert) -> bool {
    let how = b.how.to_ascii_lowercase();
    let is_open = how.contains("not") || how.contains("!=") || is_open_value(&b.expected);
    let is_compared = !b.expected.is_empty() && plain(&b.expected) != plain(&b.subject) && !is_open;
    let asks = a.how.to_ascii_lowercase();
    let holder = membership::of(a).and_then(|one| one.holder().map(str::to_string));
    let is_member = holder.is_some() || ["include", "contain"].iter().any(|word| asks.contains(word));
    let is_part = (a.strength == Strength::Part || is_member) && b.strength == Strength::Exact;
    let subject = holder.unwrap_or_else(|| plain(&a.subject));
    let is_value = !subject.is_empty() && !subject.contains('(');
    let is_same = counts::base(&subject) == counts::base(&plain(&b.subject));
    is_part && is_value && is_compared && is_same || counts::is_count_in(a, b) || is_absent_in(a, b)
}

/// `x.key toBeUndefined`, and `x toEqual {other: 1}`: the whole record has no such key.
fn is_absent_in(a: &Assert, b: &Assert) -> bool {
    let how = a.how.to_ascii_lowercase();
    let is_bare = how.ends_with("undefined") && a.expected.is_empty();
    let is_absent = is_bare || a.strength == Strength::Exact && a.expected.trim() == "undefined";
    let Some((holder, key)) = a.subject.rsplit_once('.').filter(|_| is_absent && !how.contains("not")) else {
        return false;
    };
    let is_record = b.expected.trim_start().starts_with('{') && b.strength == Strength::Exact && !b.how.contains("not");
    let holds_key =
        b.expected.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).any(|word| word == key);
    // What is spread into it may have the key.
    is_record
        && !holds_key
        && !b.expected.contains("...")
        && !is_open_value(&b.expected)
        && plain(holder) == plain(&b.subject)
}

/// `x.class == K`, and `assert_instance_of K, x`.
pub fn is_class_of(a: &Assert, b: &Assert) -> bool {
    let asks = ["assert_instance_of", "must_be_instance_of", "be_instance_of", "be_an_instance_of"];
    let (subject, class) = (plain(&a.subject), plain(&a.expected));
    let is_equal = a.strength == Strength::Exact && !class.is_empty() && !a.how.contains("not");
    let names = [plain(&b.subject), plain(&b.expected)];
    let is_same =
        |value: &str| names == [value.to_string(), class.clone()] || names == [class.clone(), value.to_string()];
    is_equal && asks.iter().any(|how| b.how.ends_with(how)) && subject.strip_suffix(".class").is_some_and(is_same)
}

/// `f() toThrowErrorMatchingInlineSnapshot "[Error: text]"`, and `f() toThrow "text and more"`.
pub fn is_recorded_error(a: &Assert, b: &Assert) -> bool {
    let text = a.expected.trim_matches(|c: char| c.is_whitespace() || "\"'`[]".contains(c));
    // The recorded text begins with the type of the error.
    let message = text.split_once(": ").filter(|(kind, _)| !kind.contains(' ')).map_or(text, |(_, message)| message);
    a.how.ends_with("toThrowErrorMatchingInlineSnapshot")
        && b.how.ends_with("toThrow")
        && a.how.contains("not.") == b.how.contains("not.")
        && holds_words(message, &b.expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Strength::{Exact, Part};

    fn assert(how: &str, subject: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn a_whole_value_stands_for_its_parts() {
        let part = assert("toContain", "x.list", "1", Part);
        assert!(is_whole_of(&part, &assert("toEqual", "x.list", "[2]", Exact)));
        assert!(!is_whole_of(&part, &assert("toEqual", "x.other", "[2]", Exact)));
        assert!(!is_whole_of(&part, &assert("not.toEqual", "x.list", "[2]", Exact)));
        assert!(!is_whole_of(&part, &assert("toEqual", "x.list", "expect.anything()", Exact)));
        assert!(!is_whole_of(&part, &assert("toEqual", "x.list", "x.list", Exact)));
        let held = assert("in", "\"one\"", "text", Part);
        assert!(is_whole_of(&held, &assert("==", "text", "expected", Exact)));
        assert!(!is_whole_of(&held, &assert("==", "other", "expected", Exact)));
        let message = assert("expectExceptionMessage", "", "\"too large\"", Part);
        assert!(!is_whole_of(&message, &assert("expectException", "", "Throwable", Exact)), "no value");
    }

    #[test]
    fn a_whole_record_says_which_keys_are_absent() {
        let absent = assert("toBeUndefined", "x.key", "", Strength::Something);
        let whole = |how: &str, subject: &str, expected: &str| assert(how, subject, expected, Exact);
        assert!(is_whole_of(&absent, &whole("toStrictEqual", "x", "{other:1}")));
        assert!(is_whole_of(&assert("equal", "x.key", "undefined", Exact), &whole("deepEqual", "x", "{other:1}")));
        for b in [
            whole("toEqual", "x", "{key:1}"),
            whole("toEqual", "y", "{other:1}"),
            whole("toEqual", "x", "{...rest}"),
            whole("not.toEqual", "x", "{other:1}"),
            assert("toMatchObject", "x", "{other:1}", Part),
        ] {
            assert!(!is_whole_of(&absent, &b), "{b:?}");
        }
        let present = assert("not.toBeUndefined", "x.key", "", Strength::Something);
        assert!(!is_whole_of(&present, &whole("toEqual", "x", "{other:1}")));
    }

    #[test]
    fn a_class_is_asked_for_in_two_forms() {
        let class = assert("assert_equal", "page.body.class", "Excerpt", Exact);
        assert!(is_class_of(&class, &assert("assert_instance_of", "page.body", "Excerpt", Exact)));
        assert!(is_class_of(&class, &assert("assert_instance_of", "Excerpt", "page.body", Exact)));
        assert!(!is_class_of(&class, &assert("assert_kind_of", "page.body", "Excerpt", Exact)), "a subclass fits, too");
        assert!(!is_class_of(&class, &assert("assert_instance_of", "page", "Excerpt", Exact)));
    }

    #[test]
    fn the_text_of_a_recorded_error_is_a_part_of_an_expected_one() {
        let recorded = assert("toThrowErrorMatchingInlineSnapshot", "f", "`[Error: is no number]`", Exact);
        assert!(is_recorded_error(&recorded, &assert("toThrow", "f", "'this is no number: a'", Part)));
        assert!(!is_recorded_error(&recorded, &assert("toThrow", "f", "'is wrong'", Part)));
        assert!(!is_recorded_error(&recorded, &assert("toThrow", "f", "", Part)));
        assert!(!is_recorded_error(&recorded, &assert("not.toThrow", "f", "'this is no number'", Part)));
    }
}
