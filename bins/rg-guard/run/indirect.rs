//! Code that does something in a roundabout way: by a function's name, by a handle, by what a string is asked to do.

use super::acts::{Act, Code};
use super::functions::{REMOVERS, RUNNERS};
use super::marks::FETCHED;
use super::tokens::{Language, Token};

impl Code {
    /// What a call does that is none of the usual ones; `last` is the end of its name.
    pub fn indirect(&self, at: usize, last: &str, arguments: &[(usize, usize)]) -> Option<Act> {
        match last {
            // `array_map("unlink", glob("/etc/*"))`
            "array_map" | "array_walk" | "call_user_func" | "call_user_func_array"
                if self.language == Language::Php =>
            {
                self.called_back(arguments)
            }
            // `"git reset --hard".execute()`
            "execute" if self.language == Language::Script && arguments.is_empty() => self.before(at).map(Act::Shell),
            // `getattr(os, "system")("...")`
            "getattr" if self.language == Language::Python => self.by_attribute(arguments),
            "open" if self.language == Language::Perl => self.opened(arguments),
            _ => None,
        }
    }

    /// What calls of well-known libraries do, whatever they are called on.
    pub fn by_libraries(&self, acts: &mut Vec<Act>) {
        let names = || {
            self.tokens.iter().enumerate().filter_map(|(at, token)| match token {
                Token::Name(name) => Some((at, name.as_str())),
                _ => None,
            })
        };
        let has = |wanted: &str| {
            names()
                .any(|(_, name)| name.strip_suffix(wanted).is_some_and(|home| home.is_empty() || home.ends_with('.')))
        };
        let (of_tables, of_trees, fetches) = (has("DB.table"), has("working_tree"), has("fetch"));
        let words = |words: &[&str]| Act::Command(words.iter().map(|word| word.to_string()).collect());
        let cloud = has("boto3") || names().any(|(_, name)| name.starts_with("boto3."));
        if has("socket") || names().any(|(_, name)| name.starts_with("socket.")) {
            acts.extend((has("pty.spawn") || has("os.dup2")).then_some(Act::RemoteShell));
        }
        for (at, name) in names() {
            let last = name.rsplit('.').next().unwrap_or("");
            let is_called = self.sign(at + 1) == Some('(');
            let is_bare = is_called && self.sign(at + 2) == Some(')');
            let of_all = || match self.tokens.get(at.wrapping_sub(3)) {
                Some(Token::Name(name)) => is_bare && name.ends_with("objects.all"),
                _ => false,
            };
            match last {
                "flushall" | "flushdb" if is_called => acts.push(words(&["redis-cli", "FLUSHALL"])),
                // `Model.objects.all().delete()`, `bucket.objects.all().delete()`
                "delete" if cloud && of_all() => acts.push(words(&["aws", "s3", "rm", "--recursive"])),
                "delete" if of_all() => acts.push(Act::Sql("DELETE FROM objects".into())),
                "delete_all" | "destroy_all"
                    if self.language == Language::Ruby && name.starts_with(char::is_uppercase) =>
                {
                    acts.push(Act::Sql("DELETE FROM records".into()));
                }
                // `DB::table("users")->truncate()`
                "truncate" if self.language == Language::Php && is_bare && of_tables => {
                    acts.push(Act::Sql("TRUNCATE records".into()));
                }
                verb if cloud && is_called && (verb.starts_with("delete_") || verb.starts_with("terminate_")) => {
                    acts.push(words(&["aws", "api", &verb.replace('_', "-")]));
                }
                "reset" if name.ends_with(".head.reset") && of_trees => {
                    acts.push(words(&["git", "reset", "--hard"]));
                }
                // `fetch(url).then(r => r.text()).then(eval)`
                "eval" if self.sign(at.wrapping_sub(1)) == Some('(') && self.sign(at + 1) == Some(')') && fetches => {
                    acts.push(Act::Code(FETCHED.to_string()));
                }
                _ => {}
            }
        }
    }

    fn text(&self, (from, to): (usize, usize)) -> Option<&str> {
        self.tokens.get(from..to)?.iter().find_map(|token| match token {
            Token::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    fn called_back(&self, arguments: &[(usize, usize)]) -> Option<Act> {
        let function = self.text(*arguments.first()?)?;
        let given = self.text(*arguments.get(1)?)?.to_string();
        if RUNNERS.contains(&function) {
            return Some(Act::Shell(given));
        }
        let (_, deep) = REMOVERS.iter().find(|(known, _)| *known == function)?;
        Some(self.removal(given, *deep))
    }

    fn by_attribute(&self, arguments: &[(usize, usize)]) -> Option<Act> {
        let (_, end) = *arguments.last()?;
        let is_runner = self.text(*arguments.get(1)?).is_some_and(|name| RUNNERS.contains(&name));
        let is_called = self.sign(end) == Some(')') && self.sign(end + 1) == Some('(');
        let (from, to) = *self.arguments(end).first().filter(|_| is_runner && is_called)?;
        match self.list(from, to) {
            Some(words) => Some(Act::Command(words)),
            None => self.value(from, to).map(Act::Shell),
        }
    }

    /// `open F, ">/etc/passwd"`, `open(my $f, ">", "/etc/passwd")`, `open P, "|sh"`.
    fn opened(&self, arguments: &[(usize, usize)]) -> Option<Act> {
        let value = |at: usize| arguments.get(at).and_then(|(from, to)| self.value(*from, *to));
        let how = value(1)?;
        let how = how.trim();
        if let Some(command) = how.strip_prefix('|').or(how.strip_suffix('|')).filter(|text| !matches!(*text, "" | "-"))
        {
            return Some(Act::Shell(command.to_string()));
        }
        match (how, value(2)) {
            ("-|" | "|-", Some(_)) => {
                let words = (2..arguments.len()).filter_map(value).collect::<Vec<_>>();
                Some(if words.len() == 1 { Act::Shell(words.concat()) } else { Act::Command(words) })
            }
            (how, Some(path)) if how.starts_with(['>', '+']) => Some(Act::Write(self.joined(&[path]))),
            (how, Some(path)) if how.starts_with('<') => Some(Act::Command(vec!["cat".into(), self.joined(&[path])])),
            (how, None) if how.starts_with(['>', '+']) => {
                let path = how.trim_start_matches(['>', '+', '<', ' ']).to_string();
                Some(Act::Write(self.joined(&[path])))
            }
            (how, None) => {
                let path = how.trim_start_matches(['<', ' ']).to_string();
                Some(Act::Command(vec!["cat".into(), self.joined(&[path])]))
            }
            _ => None,
        }
    }
}
