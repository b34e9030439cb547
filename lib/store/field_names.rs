//! The names of a struct's fields, for tests that compare a schema or a manual with it.

use serde::Deserializer;
use serde::de::value::Error;
use serde::de::{DeserializeOwned, Error as _, Visitor};

/// Lists the fields that a struct's `Deserialize` asks for.
struct FieldLister<'a>(&'a mut Vec<&'static str>);

impl<'de> Deserializer<'de> for FieldLister<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("no struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        self.0.extend(fields);
        Err(Error::custom("listed"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The serialised names of a struct's fields; empty for any other type.
pub(crate) fn of<T: DeserializeOwned>() -> Vec<&'static str> {
    let mut fields = Vec::new();
    // It always ends in an error, after the names are listed.
    drop(T::deserialize(FieldLister(&mut fields)));
    fields
}
