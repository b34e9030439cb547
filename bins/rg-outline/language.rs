//! What the reader knows about one language.

use crate::query::{Query, Selection};
use crate::reader::captures::Captures;
use review_gate::outline::Strength;
use std::collections::HashMap;

/// A language.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// The endings of its files, without a dot. An ending may hold a dot (`blade.php`); one that begins with a capital is a whole name (`Rakefile`).
    pub endings: &'static [&'static str],
    /// The programs that a `#!` line names.
    pub interpreters: &'static [&'static str],
    /// Its grammar; none if the language is compiled out.
    pub grammar: fn() -> Option<tree_sitter::Language>,
    /// Its queries.
    pub query: &'static str,
    /// The linters whose comments it has; names of `linters.rs`.
    pub linters: &'static [&'static str],
    /// How much its matchers and assertions demand; one that is not named demands one value.
    pub matchers: Matchers,
    /// The opening and closing tags of the part that is code (`<script>`); empty if all of it is.
    pub script: &'static str,
}

/// The names of matchers and assertions by what they demand, separated by blanks.
pub struct Matchers {
    /// Those that ask whether there is something.
    pub something: &'static str,
    /// Those that ask about a part.
    pub part: &'static str,
    /// Those that ask for one value, if the strongest of a chain counts.
    pub exact: &'static str,
}

/// A language that is ready to be read.
pub struct Loaded {
    /// Its row.
    pub row: &'static Row,
    /// Its grammar.
    pub grammar: tree_sitter::Language,
    /// Its queries.
    pub query: Query,
    /// The patterns that define other names.
    pub definitions: Selection,
    /// All other patterns.
    pub others: Selection,
    /// Their captures.
    pub captures: Captures,
    /// How much its matchers demand.
    pub strengths: HashMap<&'static str, Strength>,
}

impl Row {
    /// Loads the grammar and the queries. None if the language is compiled out.
    pub fn load(&'static self) -> Result<Option<Loaded>, String> {
        let Some(grammar) = (self.grammar)() else { return Ok(None) };
        let file = format!("languages/{}.scm", self.name);
        let query = Query::load(&grammar, &file, self.query)?;
        let captures = Captures::of(&query).map_err(|why| format!("{file}: {why}"))?;
        let Matchers { something, part, exact } = &self.matchers;
        let lists = [(Strength::Something, something), (Strength::Part, part), (Strength::Exact, exact)];
        let strengths =
            lists.iter().flat_map(|(strength, names)| names.split_whitespace().map(|name| (name, *strength))).collect();
        let (definitions, others) = (query.selection(captures.alias, true), query.selection(captures.alias, false));
        Ok(Some(Loaded { row: self, grammar, query, definitions, others, captures, strengths }))
    }
}
