//! Two values of several lines: only the lines in which they differ say something.

use super::places;

/// Labels of values, in any case.
const LABELS: [&str; 8] = ["got", "want", "wanted", "expected", "actual", "received", "have", "exp"];

/// The lines that are kept of each value.
const KEPT: usize = 3;

/// Shortens two values that stand below `got:` and `want:` to the lines in which they differ.
pub fn shorten(lines: &mut Vec<String>) {
    if lines.len() < 5 {
        return;
    }
    let is_label = |line: &String| {
        let label = line.trim().strip_suffix(':').map(str::to_ascii_lowercase);
        label.is_some_and(|label| LABELS.contains(&label.as_str()))
    };
    let Some(first) = lines.iter().skip(1).position(is_label).map(|at| at + 1) else { return };
    let Some(second) = lines.iter().skip(first + 1).position(is_label).map(|at| at + first + 1) else { return };
    let depth = |line: &String| line.len() - line.trim_start().len();
    let is_end = |line: &String| depth(line) < depth(&lines[second]) || places::of(line).is_some();
    let end = (second + 1..lines.len()).find(|at| is_end(&lines[*at])).unwrap_or(lines.len());
    let (one, other) = (lines[first + 1..second].to_vec(), lines[second + 1..end].to_vec());
    let same = |pair: &(&String, &String)| pair.0 == pair.1;
    let head = one.iter().zip(&other).take_while(same).count();
    let least = one.len().min(other.len()) - head;
    let foot = one.iter().rev().zip(other.iter().rev()).take_while(same).count().min(least);
    let (one, other) = (&one[head..one.len() - foot], &other[head..other.len() - foot]);
    let value = |label: &String, value: &[String]| match value {
        [] => vec![format!("{label} (nothing)")],
        [line] => vec![format!("{label} {}", line.trim())],
        more => std::iter::once(label.clone()).chain(more.iter().take(KEPT).cloned()).collect(),
    };
    if head + foot > 0 || one.len() == 1 && other.len() == 1 {
        let shown = [value(&lines[first], one), value(&lines[second], other)].concat();
        lines.splice(first..end, shown);
    }
}
