//! `rg-trace show --html`: a session as one page without scripts, which loads nothing.

use crate::denials::{Denial, tasks_of};
use crate::lines::{summary, with_level};
use crate::reviews::{self, Review};
use review_gate::event::{BudgetOwner, Kind, Outcome};
use review_gate::store::record::TracedEvent;
use review_gate::store::state::State;
use review_gate::sys::clock::Time;
use review_gate::sys::text::{count, cut_end, one_line, plain};
use std::path::Path;

/// The style of the page, for a light and a dark display.
const STYLE: &str = include_str!("page.css");

/// Nothing is loaded and no script runs, whatever the texts of the session hold.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// One entry of the time line.
struct Entry {
    at: Time,
    /// The class of its colour.
    class: &'static str,
    name: String,
    text: String,
    /// Longer texts, each with its label.
    details: Vec<(&'static str, String)>,
}

/// The page of a session.
pub fn of(state: &State, path: &Path, events: &[&TracedEvent], denials: &[Denial]) -> String {
    let session = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let reviews = reviews::of_tasks(state, path, &tasks_of(events.iter().copied()));
    let entries = entries(events, denials, &reviews);
    let (title, times) = (escaped(&one_line(&session)), (entries.first(), entries.last()));
    let span = match times {
        (Some(first), Some(last)) => format!("{} to {} (UTC)", minute(first.at), minute(last.at)),
        _ => "no event".to_string(),
    };
    let outcome = events.iter().rev().find_map(|traced| traced.outcome);
    let badge = outcome.map_or(String::new(), |word| badge(class_of(Some(word)), word.word()));
    let body = [
        format!("<h1>Session {title} {badge}</h1>\n<p class=\"dim\">{span}</p>\n"),
        tiles(events, denials, &reviews),
        strip(&entries),
        rounds(events, &entries),
        reviews_table(&reviews),
        denials_table(denials),
        time_line(&entries),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Session {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        body.concat()
    )
}

/// Text as HTML, without control characters and direction marks.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text.as_bytes()).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// `2026-11-21 12:00`
fn minute(at: Time) -> String {
    at.to_string().get(..16).unwrap_or("").replace('T', " ")
}

/// `12:00:01`
fn second(at: Time) -> String {
    at.to_string().get(11..19).unwrap_or("--------").to_string()
}

fn badge(class: &str, text: &str) -> String {
    format!("<span class=\"badge {class}\">{}</span>", escaped(text))
}

fn class_of(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        None => "dim",
        Some(Outcome::Done) => "good",
        Some(Outcome::NotDone | Outcome::Abandoned) => "bad",
        Some(Outcome::Unverified | Outcome::Waived) => "warn",
    }
}

/// All entries, the oldest first. Entries of one time stay in this order: denied calls, reviews, events.
fn entries(events: &[&TracedEvent], denials: &[Denial], reviews: &[Review]) -> Vec<Entry> {
    let denied = denials.iter().map(|denial| Entry {
        at: denial.at,
        class: "bad",
        name: denial.word().to_string(),
        text: format!("{}: {}: {}", denial.call.tool, denial.call.rule, denial.call.reason),
        details: vec![("input", denial.call.input.clone())],
    });
    let reviewed = reviews.iter().map(|review| Entry {
        at: review.at,
        class: review.class,
        name: "review".to_string(),
        text: format!("{} by {}: {}", review.word, review.by, review.text),
        details: if review.issues.is_empty() { Vec::new() } else { vec![("issues", review.issues.join("\n"))] },
    });
    let mut entries: Vec<Entry> = denied.chain(reviewed).chain(events.iter().map(|traced| entry(traced))).collect();
    entries.sort_by_key(|entry| entry.at);
    entries
}

fn entry(traced: &TracedEvent) -> Entry {
    let class = match &traced.event {
        Kind::Stop | Kind::SubagentStop => class_of(traced.outcome),
        Kind::Prompt => "info",
        Kind::ToolFailed | Kind::StopFailed => "warn",
        _ => "dim",
    };
    let tool = traced.tool.as_ref();
    let found: Vec<String> =
        traced.findings.iter().map(|found| format!("{}: {}: {}", found.by, found.rule, with_level(found))).collect();
    let texts = [
        ("prompt", traced.prompt.clone()),
        ("message", traced.message.clone()),
        ("input", tool.and_then(|tool| tool.input.clone())),
        ("output", tool.and_then(|tool| tool.output.clone())),
        ("error", tool.and_then(|tool| tool.error.clone())),
        ("findings", Some(found.join("\n"))),
        ("told the user", Some(traced.tell.join("\n"))),
        ("reason", traced.reply.as_ref().map(|reply| reply.reason.clone())),
    ];
    let summary = summary(traced);
    // A text that the line shows as it is needs no second place.
    let is_news = |text: &String| !text.trim().is_empty() && !summary.ends_with(text.as_str());
    let long = texts.into_iter().filter_map(|(label, text)| Some((label, text.filter(is_news)?)));
    let owner = match &traced.budget_owner {
        BudgetOwner::Main => String::new(),
        owner => format!("[{owner}] "),
    };
    let (details, text) = (long.collect(), format!("{owner}{summary}"));
    Entry { at: traced.at, class, name: traced.event.name().to_string(), text, details }
}

/// The counts.
fn tiles(events: &[&TracedEvent], denials: &[Denial], reviews: &[Review]) -> String {
    let of = |wanted: fn(&TracedEvent) -> bool| events.iter().filter(|traced| wanted(traced)).count();
    let tiles = [
        ("events", events.len()),
        ("prompts", of(|traced| traced.event == Kind::Prompt)),
        ("tool calls", of(|traced| traced.tool.is_some())),
        ("rounds", of(is_round)),
        ("bounces", of(|traced| traced.bounce.is_some())),
        ("findings", events.iter().map(|traced| traced.findings.len()).sum()),
        ("denied calls", denials.len()),
        ("reviews", reviews.len()),
    ];
    let tile = |(name, n): &(&str, usize)| format!("<div><dt>{name}</dt><dd>{n}</dd></div>\n");
    format!("<dl class=\"tiles\">\n{}</dl>\n", tiles.iter().map(tile).collect::<String>())
}

/// The entries as marks along the time of the session. Each leads to its line.
fn strip(entries: &[Entry]) -> String {
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return String::new() };
    let whole = last.at.since(first.at).max(0.001);
    let mark = |(n, entry): (usize, &Entry)| {
        let x = 6.0 + 980.0 * (entry.at.since(first.at) / whole).clamp(0.0, 1.0);
        let (y, height, width) = if entry.class == "dim" { (14, 16, 3) } else { (6, 32, 6) };
        let title = escaped(&format!("{} {}", second(entry.at), entry.name));
        format!(
            "<a href=\"#e{n}\"><rect class=\"{}\" x=\"{x:.1}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"><title>{title}</title></rect></a>\n",
            entry.class
        )
    };
    let marks: String = entries.iter().enumerate().map(mark).collect();
    let (from, to) = (second(first.at), second(last.at));
    format!(
        "<svg viewBox=\"0 0 1000 44\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"time line\">\n{marks}</svg>\n\
         <p class=\"ends dim\"><span>{from}</span><span>{to}</span></p>\n"
    )
}

/// Whether the event is a stop that was judged.
fn is_round(traced: &TracedEvent) -> bool {
    matches!(traced.event, Kind::Stop | Kind::SubagentStop) && traced.outcome.is_some()
}

fn table(title: &str, head: &[&str], rows: String) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let head: String = head.iter().map(|name| format!("<th>{name}</th>")).collect();
    format!("<h2>{title}</h2>\n<table>\n<tr>{head}</tr>\n{rows}</table>\n")
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: String = items.map(|item| format!("<li>{item}</li>")).collect();
    if items.is_empty() { String::new() } else { format!("<ul>{items}</ul>") }
}

/// The judged stops.
fn rounds(events: &[&TracedEvent], entries: &[Entry]) -> String {
    let row = |traced: &TracedEvent| {
        let n = entries.iter().position(|entry| entry.at == traced.at && entry.name == traced.event.name());
        let at = format!("<a href=\"#e{}\">{}</a>", n.unwrap_or(0), second(traced.at));
        let word = traced.outcome.map_or("", |outcome| outcome.word());
        let found = traced.findings.iter().map(|found| {
            format!(
                "{} <span class=\"dim\">{}</span>",
                escaped(&one_line(&with_level(found))),
                escaped(&one_line(&found.rule))
            )
        });
        let (bounce, receipt) = (traced.bounce.as_deref().unwrap_or(""), traced.receipt.as_deref().unwrap_or(""));
        format!(
            "<tr><td>{at}</td><td>{}</td><td class=\"when\">{}</td><td>{}</td><td class=\"mono dim\">{}</td></tr>\n",
            badge(class_of(traced.outcome), word),
            escaped(bounce),
            list(found),
            escaped(receipt)
        )
    };
    let rows = events.iter().filter(|traced| is_round(traced)).map(|traced| row(traced)).collect();
    table("Rounds", &["time", "outcome", "bounce", "findings", "receipt"], rows)
}

fn reviews_table(reviews: &[Review]) -> String {
    let row = |review: &Review| {
        let issues = list(review.issues.iter().map(|issue| escaped(&one_line(issue))));
        format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}{issues}</td></tr>\n",
            second(review.at),
            badge(review.class, &review.word),
            escaped(&one_line(&review.by)),
            escaped(&one_line(&review.text))
        )
    };
    table("Reviews", &["time", "decision", "by", "text"], reviews.iter().map(row).collect())
}

fn denials_table(denials: &[Denial]) -> String {
    let row = |denial: &Denial| {
        let call = &denial.call;
        format!(
            "<tr><td>{}</td><td>{}</td><td>{} <code>{}</code></td><td>{} <span class=\"dim\">{}</span></td></tr>\n",
            second(denial.at),
            badge("bad", denial.word()),
            escaped(&one_line(&call.tool)),
            escaped(&cut_end(&one_line(&call.input), 400)),
            escaped(&one_line(&call.reason)),
            escaped(&one_line(&call.rule))
        )
    };
    table("Denied calls", &["time", "", "call", "reason"], denials.iter().map(row).collect())
}

/// The longest text that is shown without opening it, in characters.
const SHOWN: usize = 300;

fn time_line(entries: &[Entry]) -> String {
    let line = |(n, entry): (usize, &Entry)| {
        let long: Vec<String> = entry.details.iter().map(|(label, text)| detail(label, text)).collect();
        format!(
            "<li id=\"e{n}\"><span class=\"when dim\">{}</span><span>{}</span><div class=\"text\">{}{}</div></li>\n",
            second(entry.at),
            badge(entry.class, &entry.name),
            escaped(&cut_end(&one_line(&entry.text), SHOWN)),
            long.concat()
        )
    };
    let lines: String = entries.iter().enumerate().map(line).collect();
    let title = count(entries.len(), "line");
    format!("<h2>Time line <span class=\"dim\">{title}</span></h2>\n<ol class=\"line\">\n{lines}</ol>\n")
}

fn detail(label: &str, text: &str) -> String {
    let lines = text.lines().count();
    format!("<details><summary>{label} ({})</summary><pre>{}</pre></details>", count(lines, "line"), escaped(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_text_becomes_markup(text in ".{0,60}") {
            let html = escaped(&text);
            prop_assert!(!html.contains(['<', '>', '"', '\'']));
            let back = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
            prop_assert_eq!(back.replace("&amp;", "&"), plain(text.as_bytes()));
        }
    }
}
