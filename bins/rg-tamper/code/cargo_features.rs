//! Features of Cargo and other names of `cfg`: whether a test that is built only with them is one more test of something that the package
//! had before, or that it builds by default.

use super::Judgement;
use super::tree;
use crate::config::toml;
use crate::config::value::Value;
use crate::sides::Source;
use regex::bytes::Regex;
use review_gate::outline::Mark;
use review_gate::outline::compare::{Place, Side};
use review_gate::sys::files;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The largest manifest that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// How many features of features are followed.
const DEPTH: usize = 8;

/// What joins names in a condition.
const JOINING: [&str; 4] = ["all", "any", "not", "ignore"];

/// The names that a condition asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked<'a> {
    features: BTreeSet<&'a str>,
    /// Names without a value, as a build script sets them.
    bare: BTreeSet<&'a str>,
    /// A name is turned.
    is_turned: bool,
}

impl<'a> Asked<'a> {
    /// The names of a condition. None if it asks for a value of something else, or for what always or never holds.
    fn of(condition: &'a str) -> Option<Asked<'a>> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut asked = Asked::default();
        let mut rest = condition;
        while let Some(start) = rest.find(is_part) {
            let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |end| start + end);
            let (name, after) = (&rest[start..end], rest[end..].trim_start());
            rest = after;
            if name == "feature" {
                let value = after.strip_prefix('=')?.trim_start().strip_prefix('"')?;
                let (value, after) = value.split_once('"')?;
                asked.features.insert(value);
                rest = after;
            } else if JOINING.contains(&name) {
                asked.is_turned |= name == "not";
                // `any()` never holds.
                if after.strip_prefix('(').is_some_and(|inner| inner.trim_start().starts_with(')')) {
                    return None;
                }
            } else if after.starts_with('=') || matches!(name, "test" | "true" | "false" | "TRUE" | "FALSE") {
                return None;
            } else {
                asked.bare.insert(name);
            }
        }
        (!asked.features.is_empty() || !asked.bare.is_empty()).then_some(asked)
    }
}

/// Whether the package of a file had, before the change, all names that the condition of a `cfg` asks for, or builds them by default.
pub fn are_of_package(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    file: usize,
    mark: &str,
    condition: &str,
) -> bool {
    let is_cfg = judgement.shown(file).ends_with(".rs") && mark.contains("cfg");
    let Some(asked) = Asked::of(condition).filter(|_| is_cfg) else { return false };
    let Some(package) = Package::of(judgement, source, file) else { return false };
    if asked.is_turned && asked.features.iter().any(|name| package.is_default(name)) {
        return false;
    }
    let had = |name: &str, is_feature: bool| {
        is_feature && package.declared(name) || package.asked(judgement, source, name, is_feature)
    };
    asked.bare.iter().all(|name| had(name, false))
        && asked.features.iter().all(|name| !asked.is_turned && package.is_default(name) || had(name, true))
}

/// Whether a removed test was never built: its package did not declare a feature that its condition asks for.
pub fn was_never_built(judgement: &Judgement<'_>, source: &Source<'_>, place: Place) -> bool {
    let mark = judgement.test(Side::Then, place).and_then(|test| test.skip.as_ref());
    let is_cfg = |mark: &&Mark| mark.text.contains("[cfg(") && judgement.shown(place.file).ends_with(".rs");
    let condition = mark.filter(is_cfg).and_then(|mark| mark.condition.as_deref());
    let Some(asked) = condition.filter(|text| !text.contains("any(")).and_then(Asked::of) else { return false };
    let package = Package::of(judgement, source, place.file).filter(|package| package.then.is_some());
    !asked.is_turned && package.is_some_and(|package| asked.features.iter().any(|name| !package.declared(name)))
}

/// A package: the directory of its manifest, and the manifest before and today.
struct Package {
    dir: PathBuf,
    then: Option<Value>,
    now: Option<Value>,
}

impl Package {
    /// The package around a file.
    fn of(judgement: &Judgement<'_>, source: &Source<'_>, file: usize) -> Option<Package> {
        let path = &judgement.sides(file).change.path;
        path.ancestors().skip(1).find_map(|dir| {
            let manifest = dir.join("Cargo.toml");
            let read = |text: &[u8]| toml::read(&String::from_utf8_lossy(text));
            let changed = judgement.all.iter().map(|one| &one.change).find(|change| change.path == manifest);
            let (then, now) = match changed {
                Some(change) => source.both_texts(std::slice::from_ref(change), LARGEST as usize)?.pop()?,
                None => {
                    let text = files::try_read(&source.top.join(&manifest), LARGEST)?;
                    (text.clone(), text)
                }
            };
            Some(Package { dir: dir.to_path_buf(), then: read(&then), now: read(&now) })
        })
    }

    /// Whether the manifest declared a feature, or a dependency that is one.
    fn declared(&self, name: &str) -> bool {
        let Some(manifest) = &self.then else { return false };
        let is_feature = manifest.get("features").is_some_and(|features| features.get(name).is_some());
        // Some dependencies are for one platform.
        let platforms = manifest.get("target").map_or(&[][..], Value::entries).iter().map(|(_, platform)| platform);
        let mut tables = std::iter::once(manifest).chain(platforms).filter_map(|table| table.get("dependencies"));
        let is_optional = |table: &Value| {
            let optional = table.get(name).and_then(|one| one.get("optional")).and_then(Value::text);
            optional.as_deref() == Some("true")
        };
        is_feature || tables.any(is_optional)
    }

    /// Whether a feature is built by default today.
    fn is_default(&self, name: &str) -> bool {
        let Some(features) = self.now.as_ref().and_then(|manifest| manifest.get("features")) else { return false };
        let mut known = BTreeSet::from(["default".to_string()]);
        for _ in 0..DEPTH {
            let lists = known.iter().filter_map(|name| features.get(name)).flat_map(Value::items);
            let more: BTreeSet<String> = lists.filter_map(Value::text).collect();
            let before = known.len();
            known.extend(more);
            if known.len() == before {
                break;
            }
        }
        known.contains(name)
    }

    /// Whether the code of the package asked for a name before the change.
    fn asked(&self, judgement: &Judgement<'_>, source: &Source<'_>, name: &str, is_feature: bool) -> bool {
        let name = regex::escape(name);
        let asks = match is_feature {
            true => format!(r#"(?-u)\bfeature\s*=\s*"{name}""#),
            false => format!(r"(?m-u)^[^\n]*\bcfg(?:_attr)?\b!?\([^\n]*\b{name}\b|rustc-cfg={name}\b"),
        };
        let Ok(regex) = Regex::new(&asks) else { return false };
        let mut files = (0..judgement.code.files.len()).filter(|file| self.holds(&judgement.sides(*file).change.path));
        let asked = files.any(|file| {
            let lines = judgement.texts(source).lines(file);
            lines.is_some_and(|(then, _)| regex.is_match(then.join("\n").as_bytes()))
        });
        let read = judgement.code.of.iter().map(|at| judgement.all[*at].change.path.as_path());
        asked || tree::is_in(source.top, source.now, &read.collect(), |path| self.holds(path), &regex)
    }

    fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_asks_for_features_and_names() {
        let of = |text: &'static str| {
            Asked::of(text).map(|asked| {
                let all: Vec<_> = asked.features.iter().chain(&asked.bare).copied().collect();
                (all.join(" "), asked.is_turned)
            })
        };
        assert_eq!(of("(feature=\"std\")"), Some(("std".into(), false)));
        assert_eq!(of("(all(feature = \"a-b\", no_alloc))"), Some(("a-b no_alloc".into(), false)));
        assert_eq!(of("(not(no_const_vec_new),ignore)"), Some(("no_const_vec_new".into(), true)));
        for text in ["(any())", "(not(test))", "(all(feature=\"a\",any()))", "(target_os=\"none\")", "(feature)", "()"]
        {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn a_manifest_declares_features_and_builds_some_by_default() {
        let text = "[features]\ndefault = [\"std\"]\nstd = [\"alloc\"]\nalloc = []\nslow = []\n\n[dependencies]\nserde = { version = \"1\", optional = true }\nlog = \"1\"\n\n[target.'cfg(unix)'.dependencies]\nnix = { version = \"1\", optional = true }\n";
        let package = Package { dir: PathBuf::new(), then: toml::read(text), now: toml::read(text) };
        assert!(package.is_default("std") && package.is_default("alloc") && !package.is_default("slow"));
        assert!(
            package.declared("slow")
                && package.declared("serde")
                && package.declared("nix")
                && !package.declared("log")
        );
    }
}
