//! The labelled edits of `tests/cases/config.jsonl`: each is judged in this process, without files or git.

use super::{Around, Edit, losses};
use serde_json::Value;
use std::collections::BTreeMap;

const CASES: &str = include_str!("../../../tests/cases/config.jsonl");

/// The findings about one case, as `rule level`, each once.
fn found(case: &Value) -> (Vec<String>, Vec<String>) {
    let text = |value: &Value| value.as_str().map(str::to_string);
    let edits: Vec<Edit> = case["files"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(path, sides)| Edit { path: path.clone(), then: text(&sides[0]), now: text(&sides[1]) })
        .collect();
    let others: BTreeMap<String, String> = case["others"]
        .as_object()
        .map(|others| others.iter().map(|(path, value)| (path.clone(), text(value).unwrap())).collect())
        .unwrap_or_default();
    let list = || {
        let tree = case["tree"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of_edits =
            edits.iter().filter(|edit| edit.then.is_some() && edit.now.is_some()).map(|edit| edit.path.clone());
        tree.iter().filter_map(text).chain(of_edits).chain(others.keys().cloned()).collect()
    };
    let around = Around::new(Box::new(list), Box::new(|path: &str| others.get(path).cloned()));
    let all = losses(&edits, &around);
    let level = |is_certain: bool| if is_certain { "tampered" } else { "warning" };
    let mut rows: Vec<String> =
        all.iter().map(|loss| format!("{} {}", loss.rule.word(), level(loss.is_certain))).collect();
    rows.sort();
    rows.dedup();
    (rows, all.into_iter().map(|loss| format!("{}: {}", loss.path, loss.text)).collect())
}

#[test]
fn labelled_edits_of_configuration_scripts_and_ci_are_judged_as_labelled() {
    let (mut wrong, mut clean, mut count) = (Vec::new(), 0, 0);
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let want: Vec<&str> = case["want"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
        let (rows, texts) = found(&case);
        count += 1;
        clean += usize::from(want.is_empty());
        let has_text = case["text"].as_str().is_none_or(|text| texts.iter().any(|other| other == text));
        if rows != want || !has_text {
            wrong.push(format!("{}: want {want:?}, found {rows:?} {texts:#?}", case["name"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 150 && clean * 2 + 20 >= count, "{count} cases, {clean} of them clean");
}

#[test]
fn hostile_files_are_read_in_time_and_never_silently() {
    let repeated = |unit: &str, size: usize| unit.repeat(size / unit.len());
    let bomb: String = (0..40).map(|n| format!("a{}: &a{} [*a{n}, *a{n}, *a{n}, *a{n}]\n", n + 1, n + 1)).collect();
    let units = [
        "[",
        "{",
        "{\"a\":",
        "[{",
        "\"",
        "`",
        "\\`\n",
        "a = ",
        "[a.b]\n",
        "a.",
        "<a>",
        "<a b=\"",
        "<!--",
        "- ",
        "&a [",
        "a:\n  ",
        "a: |\n",
        "$(",
        "if ",
        "const a = a;\n",
        "a=[b,b],",
        "/*",
        "...a,",
        "(",
        "=>",
    ];
    let mut texts: Vec<String> = units.iter().map(|unit| repeated(unit, 1 << 18)).collect();
    texts.push(format!("a0: &a0 x\n{bomb}"));
    texts.push("\u{feff}{\r\n  // x\r\n  \"strict\": true,\r\n}".to_string());
    let paths = [
        "package.json",
        "jest.config.js",
        "pyproject.toml",
        "setup.cfg",
        "pom.xml",
        ".github/workflows/ci.yml",
        "Makefile",
        ".eslintrc",
        "build.gradle",
        "conftest.py",
        "Jenkinsfile",
        "noxfile.py",
        "tsconfig.json",
    ];
    let around = Around::new(Box::new(Vec::new), Box::new(|_: &str| None));
    for text in &texts {
        for path in paths {
            let cut: String = text.chars().take(if path == "tsconfig.json" { 1 << 18 } else { 1 << 13 }).collect();
            let began = std::time::Instant::now();
            for (then, now) in
                [(Some(cut.clone()), None), (Some("{}".to_string()), Some(cut.clone())), (Some(cut.clone()), Some(cut))]
            {
                let _ = losses(&[Edit { path: path.to_string(), then, now }], &around);
            }
            let begin: String = text.chars().take(12).collect();
            assert!(began.elapsed().as_secs() < 20, "{path} {begin:?}: {:?}", began.elapsed());
        }
    }
    let broken = Edit { path: "tsconfig.json".into(), then: Some("{}".into()), now: Some("{\"a\": ".into()) };
    assert_eq!(losses(&[broken], &around).len(), 1);
}
