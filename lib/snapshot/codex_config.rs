//! The part of Codex's own config.toml that may decide which hooks run. Codex writes the rest of the file itself.

/// The tables that Codex writes while it runs: trusted projects, notices that were shown, the terminal's looks.
const OWN_TABLES: [&str; 3] = ["projects", "notice", "tui"];

/// The keys before the first table that Codex writes when the user chooses a model.
const OWN_KEYS: [&str; 4] = ["model", "model_provider", "model_reasoning_effort", "personality"];

/// The file without what Codex writes itself; None if nothing is left. Only plain lines of a name and one value are left out: a file in
/// which such a part holds anything else counts whole, so that no text over several lines can hide a setting.
pub fn deciding_part(text: &str) -> Option<Vec<u8>> {
    let mut left = Vec::new();
    let mut table: Option<&str> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = header(line) {
            table = Some(name);
        }
        let is_own_table = table.is_some_and(|name| OWN_TABLES.contains(&name));
        if is_own_table && (header(line).is_some() || plain_key(line).is_some()) {
            continue;
        }
        if is_own_table {
            return Some(text.as_bytes().to_vec());
        }
        if table.is_none() && plain_key(line).is_some_and(|key| OWN_KEYS.contains(&key)) {
            continue;
        }
        left.extend_from_slice(line.as_bytes());
        left.push(b'\n');
    }
    (!left.is_empty()).then_some(left)
}

/// The first part of the name in a table's header.
fn header(line: &str) -> Option<&str> {
    let name = line.strip_prefix('[')?.trim_start_matches('[').trim_start();
    line.ends_with(']').then(|| name.split(['.', ']', ' ']).next().unwrap_or(name))
}

/// The key of a line that holds a key and one value on this line.
fn plain_key(line: &str) -> Option<&str> {
    let (key, value) = line.split_once('=')?;
    let (key, value) = (key.trim(), value.trim());
    let is_text = value.len() > 1
        && value
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .is_some_and(|text| !text.contains(['"', '\\']));
    let is_word =
        !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte));
    let is_name = !key.is_empty() && !key.contains(['[', '{', '\'']);
    (is_name && (is_text || is_word)).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_codex_writes_itself_decides_nothing() {
        let own = "model = \"x\"\n\n[projects.\"/a/b\"]\ntrust_level = \"trusted\"\n[notice]\nhide = true\n";
        assert_eq!(deciding_part(own), None);
        let part = |text: &str| deciding_part(&format!("{own}{text}")).map(|part| String::from_utf8(part).unwrap());
        assert_eq!(part("[features]\nhooks = false\n").unwrap(), "[features]\nhooks = false\n");
        assert_eq!(
            part("[hooks.state.\"x\"]\ntrusted_hash = \"y\"\n").unwrap(),
            "[hooks.state.\"x\"]\ntrusted_hash = \"y\"\n"
        );
    }

    #[test]
    fn no_text_over_several_lines_hides_a_setting() {
        for text in [
            "[features]\na = \"\"\"\n[notice]\n\"\"\"\nhooks = false\n",
            "[features]\na = [\n[\"notice\"],\n[notice]\n]\nhooks = false\n",
            "[notice]\na = '''\n'''\nx = 1\n",
            "[notice]\na = {b = 1}\n",
        ] {
            let part = deciding_part(text).unwrap_or_else(|| panic!("{text}"));
            assert!(part == text.as_bytes() || String::from_utf8_lossy(&part).contains("hooks = false"), "{text}");
        }
        let quoted = deciding_part("[\"features\"]\nhooks = false\n").unwrap();
        assert_eq!(quoted, b"[\"features\"]\nhooks = false\n");
    }
}
