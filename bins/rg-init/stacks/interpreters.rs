//! Ruby, PHP and Elixir.

use crate::part::Part;
use crate::proposal::Plan;
use review_gate::donefile::CheckKind::{Lint, Test};

/// Whether a part is a Ruby project.
pub fn is_ruby(part: &Part) -> bool {
    part.has(&["Gemfile", "Rakefile", ".rspec"])
}

/// rspec or the task `test` of rake; rubocop if it is configured.
pub fn ruby(part: &Part, plan: &mut Plan) {
    let bundle = if part.has(&["Gemfile"]) { "bundle exec " } else { "" };
    let rakefile = part.text("Rakefile");
    let has_task = rakefile.contains("TestTask")
        || rakefile.lines().any(|line| {
            let words: Vec<&str> =
                line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
            words.starts_with(&["task", "test"])
        });
    if part.has(&[".rspec"]) || part.has_dir("spec") && part.text("Gemfile").contains("rspec") {
        let file = part.first(&[".rspec", "Gemfile"]).unwrap_or("spec");
        plan.check(part, "rspec", file, ("tests", Test), &format!("{bundle}rspec"));
    }
    if has_task {
        plan.check(part, "rake", "Rakefile", ("tests", Test), &format!("{bundle}rake test"));
    }
    if part.has(&[".rubocop.yml"]) {
        plan.check(part, "ruby", ".rubocop.yml", ("lint", Lint), &format!("{bundle}rubocop"));
    }
}

/// Whether a part is a PHP project.
pub fn is_php(part: &Part) -> bool {
    part.has(&["composer.json", "phpunit.xml", "phpunit.xml.dist"])
}

/// The script `test` of composer, or phpunit; linters that are configured.
pub fn php(part: &Part, plan: &mut Plan) {
    let manifest = match part.json("composer.json") {
        Some(Ok(value)) => value,
        Some(Err(why)) => {
            plan.note(&format!("{} is not valid JSON: {why}", part.shown("composer.json")));
            Default::default()
        }
        None => Default::default(),
    };
    let has_script = |name: &str| manifest["scripts"].get(name).is_some();
    if has_script("test") {
        plan.check(part, "php", "composer.json", ("tests", Test), "composer run-script test");
    } else if let Some(file) = part.first(&["phpunit.xml", "phpunit.xml.dist"]) {
        plan.check(part, "php", file, ("tests", Test), "vendor/bin/phpunit");
    }
    if has_script("lint") {
        plan.check(part, "php", "composer.json", ("lint", Lint), "composer run-script lint");
    }
    if let Some(file) = part.first(&["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"]) {
        plan.check(part, "php", file, ("types", Lint), "vendor/bin/phpstan analyse --no-progress");
    }
    if let Some(file) = part.first(&[".php-cs-fixer.php", ".php-cs-fixer.dist.php"]) {
        plan.check(part, "php", file, ("format", Lint), "vendor/bin/php-cs-fixer check");
    }
}

/// Whether a part is a project of mix.
pub fn is_elixir(part: &Part) -> bool {
    part.has(&["mix.exs"])
}

/// Tests; the formatter and credo if they are configured.
pub fn elixir(part: &Part, plan: &mut Plan) {
    plan.check(part, "mix", "mix.exs", ("tests", Test), "mix test");
    if part.has(&[".formatter.exs"]) {
        plan.check(part, "mix", ".formatter.exs", ("format", Lint), "mix format --check-formatted");
    }
    if part.has(&[".credo.exs"]) {
        plan.check(part, "mix", ".credo.exs", ("lint", Lint), "mix credo");
    }
}
