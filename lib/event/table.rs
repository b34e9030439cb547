//! The table of the event line's fields: name, writer, and whether a stop that has the field must be parsed.

/// One field of the event line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name on the wire.
    pub name: &'static str,
    /// Who writes it: the source, any stage (entries tagged by `by`), or one stage by its type.
    pub owner: &'static str,
    /// Whether a stop with this field concerns some stage.
    pub is_loud: bool,
}

/// Declares the fields that the source writes. Each states whether a stop that has it must be parsed (`loud`) or not (`quiet`),
/// and its name on the wire. A field without these does not compile.
macro_rules! source_fields {
    ($(#[$doc:meta])* $name:ident { $($(#[$attr:meta])* $loud:ident $wire:literal $field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub struct $name { $($(#[$attr])* #[serde(rename = $wire)] pub $field: $type),* }

        /// The fields of the source.
        pub(super) const SOURCE_FIELDS: &[Field] =
            &[$(Field { name: $wire, owner: stringify!($name), is_loud: source_fields!(@$loud) }),*];
    };
    (@loud) => { true };
    (@quiet) => { false };
}

/// Declares the fields that stages write: the shared ones, and for each stage a type with its own fields. Empty fields are
/// absent. A stop that has one of them was judged or answered, so all are loud.
macro_rules! stage_fields {
    (
        shared { $($(#[$shared_doc:meta])* $shared_wire:literal $shared:ident: $shared_type:ty),* $(,)? }
        $($(#[$owner_doc:meta])* $owner:ident of $stage:ident {
            $($(#[$doc:meta])* $wire:literal $field:ident: $type:ty),* $(,)?
        })*
    ) => {
        /// What the stages wrote so far. Only `merge` changes the results of an event.
        #[derive(Clone, Debug, Default, Serialize, Deserialize)]
        pub struct Results {
            $($(#[$shared_doc])* #[serde(rename = $shared_wire, default, skip_serializing_if = "is_default")]
            pub(crate) $shared: $shared_type,)*
            $($($(#[$doc])* #[serde(rename = $wire, default, skip_serializing_if = "is_default")]
            pub(crate) $field: $type,)*)*
        }

        $($(#[$owner_doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $owner { $($(#[$doc])* pub $field: $type),* }

        impl Owner for $owner {
            const STAGE: Stage = Stage::$stage;

            fn of(_results: &Results) -> $owner {
                $owner { $($field: _results.$field.clone()),* }
            }

            fn put(self, _results: &mut Results) {
                $(_results.$field = self.$field;)*
            }
        })*

        /// The fields of the stages.
        pub(super) const STAGE_FIELDS: &[Field] = &[
            $(Field { name: $shared_wire, owner: "any stage", is_loud: true },)*
            $($(Field { name: $wire, owner: stringify!($owner), is_loud: true },)*)*
        ];
    };
}

pub(super) use {source_fields, stage_fields};

/// How many fields of a table are loud.
pub(super) const fn loud_count(fields: &[Field]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < fields.len() {
        count += fields[at].is_loud as usize;
        at += 1;
    }
    count
}

/// The names of a table's loud fields, after those of `names`.
pub(super) const fn loud_names<const N: usize>(source: &[Field], stages: &[Field]) -> [&'static [u8]; N] {
    let mut names: [&'static [u8]; N] = [b""; N];
    let (mut count, mut at) = (0, 0);
    while at < source.len() + stages.len() {
        let field = if at < source.len() { source[at] } else { stages[at - source.len()] };
        if field.is_loud {
            names[count] = field.name.as_bytes();
            count += 1;
        }
        at += 1;
    }
    names
}

#[cfg(test)]
mod tests {
    use crate::event::section::STAGE_FIELDS;
    use crate::event::source::SOURCE_FIELDS;
    use std::collections::BTreeSet;

    /// Fails if a field is declared and not in the schema, or in the schema and not declared.
    #[test]
    fn the_table_of_fields_is_the_schema() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/event.json");
        let schema: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let described: BTreeSet<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let all: Vec<&str> = SOURCE_FIELDS.iter().chain(STAGE_FIELDS).map(|field| field.name).chain(["via"]).collect();
        let declared: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(declared, described);
        assert_eq!(declared.len(), all.len(), "a field is declared twice: {all:?}");
    }

    /// The outer lists of rg-event(5) below FIELDS have an entry for each field, and no other: `.It Li a , b Pq type` is one for both.
    #[test]
    fn each_field_has_an_entry_in_the_manual() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("man/rg-event.5");
        let page = std::fs::read_to_string(path).unwrap();
        let (mut depth, mut is_of_fields, mut described) = (0, false, Vec::new());
        for line in page.lines() {
            match line.split(' ').next().unwrap_or("") {
                ".Sh" => is_of_fields = line.contains("FIELDS"),
                // These describe the members of a field.
                ".Ss" if line.starts_with(".Ss Entries of") || line.starts_with(".Ss Fields of") => {
                    is_of_fields = false
                }
                ".Bl" => depth += 1,
                ".El" => depth -= 1,
                _ => {}
            }
            if let Some(entry) = line.strip_prefix(".It Li ").filter(|_| is_of_fields && depth == 1) {
                described.extend(entry.split(" Pq ").next().unwrap_or(entry).split(" , "));
            }
        }
        let mut declared: Vec<&str> =
            SOURCE_FIELDS.iter().chain(STAGE_FIELDS).map(|field| field.name).chain(["via"]).collect();
        described.sort_unstable();
        declared.sort_unstable();
        assert_eq!(described, declared);
    }
}
