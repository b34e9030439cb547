//! Consoles of web frameworks: they run code with the application's database.

use crate::code::Language;
use crate::command::{Call, flags, marks};
use crate::walk::Io;

/// The program that an interpreter runs by a script or a module, and its place: `python manage.py`, `python -m django`,
/// `php artisan`.
pub fn managed(call: &Call) -> Option<(&'static str, usize)> {
    let is_python = call.name.starts_with("python") || call.name.starts_with("pypy");
    if !is_python && call.name != "php" {
        return None;
    }
    let texts = || call.args.iter().map(|arg| arg.text.as_str());
    let module = texts().zip(texts().skip(1)).position(|pair| pair == ("-m", "django")).filter(|_| is_python);
    if let Some(at) = module {
        return Some(("manage.py", at + 1));
    }
    let at = texts().position(|text| !text.starts_with('-'))?;
    match call.args[at].text.rsplit('/').next()? {
        "manage.py" if is_python => Some(("manage.py", at)),
        "artisan" if call.name == "php" => Some(("artisan", at)),
        _ => None,
    }
}

/// The code that a console runs: from an option, an operand or the input.
pub fn code(call: &Call, io: &Io) -> Option<(Language, String)> {
    let (language, verbs, options): (_, &[&str], &[&str]) = match call.name.as_str() {
        "manage.py" | "django-admin" => (Language::Python, &["shell", "shell_plus"], &["-c", "--command"]),
        "artisan" => (Language::Php, &["tinker"], &["--execute"]),
        "rails" => (Language::Ruby, &["runner", "r", "console", "c"], &[]),
        _ => return None,
    };
    let found = flags(&call.args, "-c --command --execute -e --environment --settings");
    if !verbs.contains(&found.operand(0)) {
        return None;
    }
    let given = options.iter().find_map(|name| found.value(name));
    let operand = || found.operands.get(1).filter(|_| language == Language::Ruby).map(|arg| arg.text.clone());
    let text = given.or_else(operand).or_else(|| io.input.as_deref().map(str::to_string))?;
    Some((language, marks::literal(&text)))
}
