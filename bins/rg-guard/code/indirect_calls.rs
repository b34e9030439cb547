//! Indirect calls: by a function's name, through a handle, as a method of a string, through a library.

use super::effects::{Code, Effect};
use super::functions::{REMOVERS, RUNNERS};
use super::tokens::{Language, Token};
use crate::command::CLIENT_PID;
use crate::command::guarded_programs::mentions;
use crate::command::marks::FETCHED;

impl Code {
    /// The effect of an indirect call; `last` is the last component of the called name.
    pub fn indirect_effect(&self, at: usize, last: &str, arguments: &[(usize, usize)]) -> Option<Effect> {
        match last {
            // `array_map("unlink", glob("/etc/*"))`
            "array_map" | "array_walk" | "call_user_func" | "call_user_func_array"
                if self.language == Language::Php =>
            {
                self.callback_effect(arguments)
            }
            // `"git reset --hard".execute()`
            "execute" if self.language == Language::Script && arguments.is_empty() => {
                self.receiver(at).map(Effect::Shell)
            }
            // `getattr(os, "system")("...")`
            "getattr" if self.language == Language::Python => self.getattr_effect(arguments),
            "open" if self.language == Language::Perl => self.perl_open_effect(arguments),
            _ => None,
        }
    }

    /// The effects of calls into well-known libraries, whatever the receiver.
    pub fn library_effects(&self, effects: &mut Vec<Effect>) {
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
        let words = |words: &[&str]| Effect::Command(words.iter().map(|word| word.to_string()).collect());
        let cloud = has("boto3") || names().any(|(_, name)| name.starts_with("boto3."));
        if has("socket") || names().any(|(_, name)| name.starts_with("socket.")) {
            effects.extend((has("pty.spawn") || has("os.dup2")).then_some(Effect::RemoteShell));
        }
        // `for p in psutil.process_iter(): if p.name() == 'claude': p.kill()`
        let picks = |token: &Token| matches!(token, Token::Text(text) if mentions(text));
        let picks_guarded = has("process_iter") && self.tokens.iter().any(picks);
        for (at, name) in names() {
            let last = name.rsplit('.').next().unwrap_or("");
            let is_called = self.sign(at + 1) == Some('(');
            let is_bare = is_called && self.sign(at + 2) == Some(')');
            let of_all = || match self.tokens.get(at.wrapping_sub(3)) {
                Some(Token::Name(name)) => is_bare && name.ends_with("objects.all"),
                _ => false,
            };
            match last {
                "kill" | "terminate" | "suspend" | "send_signal" if picks_guarded && is_called => {
                    effects.push(words(&["kill", CLIENT_PID]));
                }
                "dropDatabase" | "drop_database" | "dropCollection" | "drop_collection" if is_called => {
                    effects.push(words(&["mongosh", "--eval", "db.dropDatabase()"]));
                }
                // `prisma.user.deleteMany()`, `db.users.delete_many({})`
                "deleteMany" | "delete_many" if is_bare || self.is_empty_query(at) => {
                    effects.push(words(&["mongosh", "--eval", "db.records.deleteMany({})"]));
                }
                "flushall" | "flushdb" if is_called => effects.push(words(&["redis-cli", "FLUSHALL"])),
                // `Model.objects.all().delete()`, `bucket.objects.all().delete()`
                "delete" if cloud && of_all() => effects.push(words(&["aws", "s3", "rm", "--recursive"])),
                "delete" if of_all() => effects.push(Effect::Sql("DELETE FROM objects".into())),
                "delete_all" | "destroy_all"
                    if self.language == Language::Ruby && name.starts_with(char::is_uppercase) =>
                {
                    effects.push(Effect::Sql("DELETE FROM records".into()));
                }
                // `DB::table("users")->truncate()`, `User::truncate()`
                "truncate"
                    if self.language == Language::Php
                        && is_bare
                        && (of_tables || name.starts_with(char::is_uppercase)) =>
                {
                    effects.push(Effect::Sql("TRUNCATE records".into()));
                }
                verb if cloud && is_called && (verb.starts_with("delete_") || verb.starts_with("terminate_")) => {
                    effects.push(words(&["aws", "api", &verb.replace('_', "-")]));
                }
                "reset" if name.ends_with(".head.reset") && of_trees => {
                    effects.push(words(&["git", "reset", "--hard"]));
                }
                // `fetch(url).then(r => r.text()).then(eval)`
                "eval" if self.sign(at.wrapping_sub(1)) == Some('(') && self.sign(at + 1) == Some(')') && fetches => {
                    effects.push(Effect::Code(FETCHED.to_string()));
                }
                _ => {}
            }
        }
    }

    /// Whether the only argument of a call is `{}`.
    fn is_empty_query(&self, at: usize) -> bool {
        "({})".chars().enumerate().all(|(ahead, c)| self.sign(at + 1 + ahead) == Some(c))
    }

    fn first_text(&self, (from, to): (usize, usize)) -> Option<&str> {
        self.tokens.get(from..to)?.iter().find_map(|token| match token {
            Token::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    fn callback_effect(&self, arguments: &[(usize, usize)]) -> Option<Effect> {
        let function = self.first_text(*arguments.first()?)?;
        let (from, to) = *arguments.get(1)?;
        let given = self.value(from, to).or_else(|| self.first_text((from, to)).map(str::to_string))?;
        if RUNNERS.contains(&function) {
            return Some(Effect::Shell(given));
        }
        let (_, deep) = REMOVERS.iter().find(|(known, _)| *known == function)?;
        Some(self.removal(given, *deep))
    }

    fn getattr_effect(&self, arguments: &[(usize, usize)]) -> Option<Effect> {
        let (_, end) = *arguments.last()?;
        let is_runner = self.first_text(*arguments.get(1)?).is_some_and(|name| RUNNERS.contains(&name));
        let is_called = self.sign(end) == Some(')') && self.sign(end + 1) == Some('(');
        let (from, to) = *self.arguments(end).first().filter(|_| is_runner && is_called)?;
        match self.list(from, to) {
            Some(words) => Some(Effect::Command(words)),
            None => self.value(from, to).map(Effect::Shell),
        }
    }

    /// `open F, ">/etc/passwd"`, `open(my $f, ">", "/etc/passwd")`, `open P, "|sh"`.
    fn perl_open_effect(&self, arguments: &[(usize, usize)]) -> Option<Effect> {
        let value = |at: usize| arguments.get(at).and_then(|(from, to)| self.value(*from, *to));
        let how = value(1)?;
        let how = how.trim();
        if let Some(command) = how.strip_prefix('|').or(how.strip_suffix('|')).filter(|text| !matches!(*text, "" | "-"))
        {
            return Some(Effect::Shell(command.to_string()));
        }
        match (how, value(2)) {
            ("-|" | "|-", Some(_)) => {
                let words = (2..arguments.len()).filter_map(value).collect::<Vec<_>>();
                Some(if words.len() == 1 { Effect::Shell(words.concat()) } else { Effect::Command(words) })
            }
            (how, Some(path)) if how.starts_with(['>', '+']) => Some(Effect::Write(self.join_path(&[path]))),
            (how, Some(path)) if how.starts_with('<') => {
                Some(Effect::Command(vec!["cat".into(), self.join_path(&[path])]))
            }
            (how, None) if how.starts_with(['>', '+']) => {
                let path = how.trim_start_matches(['>', '+', '<', ' ']).to_string();
                Some(Effect::Write(self.join_path(&[path])))
            }
            (how, None) => {
                let path = how.trim_start_matches(['<', ' ']).to_string();
                Some(Effect::Command(vec!["cat".into(), self.join_path(&[path])]))
            }
            _ => None,
        }
    }
}
