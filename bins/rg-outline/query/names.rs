//! The kinds and fields of a grammar, by name.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use tree_sitter::Language;

/// A name, and whether it is that of a named kind.
type Name<'a> = (Cow<'a, str>, bool);

/// The names of a grammar.
pub struct Names<'a> {
    language: &'a Language,
    /// The kinds that were looked up: the grammar searches its whole list each time.
    known: RefCell<HashMap<Name<'a>, Vec<u16>>>,
}

impl<'a> Names<'a> {
    /// The names of a language.
    pub fn of(language: &'a Language) -> Names<'a> {
        Names { language, known: RefCell::default() }
    }

    /// The kinds that a name stands for. A supertype stands for its members.
    pub fn kinds(&self, name: Cow<'a, str>, is_named: bool) -> Result<Vec<u16>, String> {
        let key = (name, is_named);
        if let Some(kinds) = self.known.borrow().get(&key) {
            return Ok(kinds.clone());
        }
        let kinds = self.search(&key.0, is_named)?;
        self.known.borrow_mut().insert(key, kinds.clone());
        Ok(kinds)
    }

    fn search(&self, name: &str, is_named: bool) -> Result<Vec<u16>, String> {
        if is_named && name == "ERROR" {
            return Ok(vec![crate::tree::ERROR]);
        }
        let id = self.language.id_for_node_kind(name, is_named);
        // tree-sitter answers with 0, the end of the file, for a name that it does not know.
        if id == 0 {
            return Err(format!("no node is called {name:?}"));
        }
        if !self.language.node_kind_is_supertype(id) {
            return Ok(vec![id]);
        }
        let (mut found, mut open) = (Vec::new(), vec![id]);
        while let Some(id) = open.pop() {
            match self.language.node_kind_is_supertype(id) {
                true if open.len() < 4096 => open.extend(self.language.subtypes_for_supertype(id)),
                _ => found.push(id),
            }
        }
        found.sort_unstable();
        found.dedup();
        match found.is_empty() {
            true => Err(format!("the members of {name:?} are not known: name them")),
            false => Ok(found),
        }
    }

    /// How many kinds there are.
    pub fn kind_count(&self) -> usize {
        self.language.node_kind_count()
    }

    /// The number of a field.
    pub fn field(&self, name: &str) -> Result<u16, String> {
        self.language.field_id_for_name(name).map(|id| id.get()).ok_or_else(|| format!("no field is called {name:?}"))
    }
}
