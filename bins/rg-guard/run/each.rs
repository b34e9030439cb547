//! Programs that run a command for each of many things: `find -exec`, `xargs`, `parallel`.

use super::arguments::flags;
use super::expand::Arg;
use super::marks::{self, ALL, EACH, SOME};
use super::walk::{Call, Io, Walker};

/// What `find` looks through.
pub struct Search {
    pub places: Vec<String>,
    /// Only some of what is there: by a name, an age, a size.
    pub selective: bool,
    /// The one name that it looks for.
    pub name: Option<String>,
}

/// Reads the arguments of `find` and `fd`.
pub fn search(call: &Call) -> Search {
    let mut places = Vec::new();
    let mut selective = false;
    let mut name = None;
    let fd = matches!(call.name.as_str(), "fd" | "fdfind");
    let mut rest = call.args.iter().peekable();
    if fd {
        let found = flags(
            &call.args,
            "-e -t -d -E -x -X -c -S -j --extension --type --max-depth --exclude --exec --exec-batch --size",
        );
        let pattern = found.operand(0);
        selective = found.any(&["-e", "--extension", "-S"]) || !pattern.is_empty() && pattern != ".";
        places.extend(found.operands.iter().skip(1).map(|arg| arg.text.clone()));
    } else {
        while rest
            .peek()
            .is_some_and(|arg| matches!(arg.text.as_str(), "-L" | "-H" | "-P") || arg.text.starts_with("-O"))
        {
            rest.next();
        }
        while let Some(arg) = rest.next_if(|arg| !arg.text.starts_with(['-', '(', '!'])) {
            places.push(arg.text.clone());
        }
        let mut words = rest.map(|arg| arg.text.as_str()).peekable();
        let mut negated = false;
        while let Some(word) = words.next() {
            // All but some is as good as all.
            if matches!(word, "-not" | "!") {
                negated = true;
                continue;
            }
            if std::mem::take(&mut negated) {
                words.next_if(|word| !word.starts_with(['-', '(']));
                continue;
            }
            match word {
                "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" => {
                    let pattern = words.next().unwrap_or("");
                    let wild = |c: char| marks::is_mark(c) || matches!(c, '*' | '?' | '[');
                    if matches!(word, "-name" | "-iname") && !pattern.contains(wild) {
                        name = Some(pattern.to_string());
                    }
                    selective |= !marks::plain(pattern).trim_matches(['*', '.', '/', '?']).is_empty();
                }
                "-empty" | "-newer" | "-mtime" | "-mmin" | "-ctime" | "-cmin" | "-atime" | "-amin" | "-size"
                | "-perm" | "-xtype" | "-inum" | "-samefile" | "-links" | "-newermt" => selective = true,
                _ => {}
            }
        }
    }
    if places.is_empty() {
        places.push(".".to_string());
    }
    Search { places, selective, name }
}

impl Walker<'_> {
    pub fn find(&mut self, call: &Call, io: &Io) {
        let fd = matches!(call.name.as_str(), "fd" | "fdfind");
        let search = search(call);
        let mark = if search.selective { EACH } else { ALL };
        let starts = |text: &str| match fd {
            true => matches!(text, "-x" | "-X" | "--exec" | "--exec-batch"),
            false => matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir"),
        };
        let mut at = 0;
        while at < call.args.len() {
            if !starts(&call.args[at].text) {
                at += 1;
                continue;
            }
            let words: Vec<&Arg> =
                call.args[at + 1..].iter().take_while(|arg| !matches!(arg.text.as_str(), ";" | "+")).collect();
            at += words.len() + 1;
            for place in &search.places {
                let below = search.name.as_ref().map(|name| format!("/{name}")).unwrap_or_default();
                let name = format!("{}/{mark}{below}", place.trim_end_matches('/'));
                let mut args: Vec<Arg> =
                    words.iter().map(|arg| Arg::new(arg.text.replace("{}", &name), arg.span)).collect();
                if fd && !words.iter().any(|arg| arg.text.contains("{}")) {
                    args.push(Arg::new(name, call.span));
                }
                let inner = Call { args, ..call.clone() };
                self.apart(|walker| walker.operands_run(&inner, 0, &Io { input: None, capture: io.capture }));
            }
        }
    }

    pub fn xargs(&mut self, call: &Call, io: &Io) -> String {
        let valued = "-I -i -J -n -P -L -l -s -a -d -E -e -R --replace --max-args --max-procs --max-lines --arg-file --delimiter --eof --max-chars";
        let options = flags(&call.args, valued);
        let replace = options.value("-I").or_else(|| options.value("-J")).or_else(|| options.value("--replace"));
        let replace = replace.or_else(|| {
            options.options.iter().any(|o| *o == "-i" || o.starts_with("--replace")).then(|| "{}".to_string())
        });
        let text = match (options.value("-a").or_else(|| options.value("--arg-file")), &io.input) {
            (Some(file), _) => self.scope.file(&file).map_or(SOME.to_string(), |held| held.to_string()),
            (None, Some(text)) => text.to_string(),
            (None, None) => SOME.to_string(),
        };
        let items: Vec<String> = match replace {
            Some(_) => text.lines().map(|line| line.trim().to_string()).take(64).collect(),
            None => text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_string()).take(1024).collect(),
        };
        // The command begins with the first operand that is no option's value.
        let Some(first) = options.operands.first() else { return text };
        let at = call.args.iter().position(|arg| std::ptr::eq(arg, *first)).unwrap_or(0);
        let words = call.args[at..].to_vec();
        let mut commands: Vec<Vec<Arg>> = Vec::new();
        match &replace {
            Some(sign) if !sign.is_empty() => {
                for item in &items {
                    commands.push(
                        words.iter().map(|arg| Arg::new(arg.text.replace(sign.as_str(), item), arg.span)).collect(),
                    );
                }
            }
            _ => {
                let more = items.iter().map(|item| Arg::new(item.as_str(), call.span));
                commands.push(words.iter().cloned().chain(more).collect());
            }
        }
        let mut printed = String::new();
        for args in commands {
            let inner = Call { args, ..call.clone() };
            let io = Io { input: None, capture: io.capture };
            printed.push_str(&self.apart(|walker| walker.operands_run(&inner, 0, &io)));
        }
        printed
    }

    pub fn parallel(&mut self, call: &Call, io: &Io) -> String {
        let valued = "-j -I -n -N -a -S --jobs --joblog --delay --timeout --colsep --retries --results --workdir --tmpdir --load --memfree -C -d -L";
        let options = flags(&call.args, valued);
        let sources = |text: &str| matches!(text, ":::" | "::::" | ":::+" | "::::+");
        let first = options.operands.first().copied();
        let start = first.and_then(|first| call.args.iter().position(|arg| std::ptr::eq(arg, first)));
        let start = start.unwrap_or(call.args.len());
        let mut sections = call.args[start..].split(|arg| sources(&arg.text));
        let words = sections.next().unwrap_or_default();
        let mut items: Vec<String> = sections.flatten().map(|arg| arg.text.clone()).take(64).collect();
        if items.is_empty() {
            let text = io.input.as_deref().map_or(SOME.to_string(), str::to_string);
            items = text.lines().map(str::to_string).take(64).collect();
        }
        let template = words.iter().map(|arg| marks::plain(&arg.text)).collect::<Vec<_>>().join(" ");
        let mut printed = String::new();
        for item in items {
            // Without a command each line is one.
            let text = match template.as_str() {
                "" => item,
                template if template.contains('{') => ["{}", "{.}", "{/}", "{//}", "{1}", "{2}"]
                    .iter()
                    .fold(template.to_string(), |text, sign| text.replace(sign, &item)),
                template => format!("{template} {item}"),
            };
            let io = Io { input: None, capture: io.capture };
            printed.push_str(&self.below(call, |walker| walker.apart(|walker| walker.script(call, &text, &[], &io))));
        }
        printed
    }
}
