//! The kinds and fields of a grammar, by name.

use tree_sitter::Language;

/// The names of a grammar.
pub struct Names<'a> {
    language: &'a Language,
}

impl<'a> Names<'a> {
    /// The names of a language.
    pub fn of(language: &'a Language) -> Names<'a> {
        Names { language }
    }

    /// The kinds that a name stands for. A supertype stands for its members.
    pub fn kinds(&self, name: &str, is_named: bool) -> Result<Vec<u16>, String> {
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
