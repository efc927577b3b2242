//! The names of a type's fields, as serde reads them.

use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;
use std::fmt::{Display, Formatter, Result as Written};

/// Returns the names of the fields of a struct, or none for other types and for structs with flattened fields.
pub(super) fn known_fields<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &[&str] = &[];
    // This always fails, after recording the names. Without a value to drop, the Worker is smaller.
    std::mem::forget(T::deserialize(NameReader(&mut names)));
    names
}

/// Notes the fields that a type asks for, and reads nothing.
struct NameReader<'a>(&'a mut &'static [&'static str]);

/// The failure of a reader that reads nothing.
#[derive(Debug)]
struct NothingRead;

impl<'de> Deserializer<'de> for NameReader<'_> {
    type Error = NothingRead;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, NothingRead> {
        *self.0 = fields;
        Err(NothingRead)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, NothingRead> {
        Err(NothingRead)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl Error for NothingRead {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

impl std::error::Error for NothingRead {}

impl Display for NothingRead {
    fn fmt(&self, _: &mut Formatter<'_>) -> Written {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::api::{Metadata, UpdateContent};
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Deserialize)]
    struct Flattened {
        #[serde(flatten)]
        _rest: BTreeMap<String, String>,
    }

    #[test]
    fn a_struct_has_the_names_that_stand_on_the_wire_and_nothing_else_has_any() {
        let names = known_fields::<UpdateContent>();
        assert!(["content_uuid", "caption", "metadata"].iter().all(|name| names.contains(name)), "{names:?}");
        assert!(known_fields::<Flattened>().is_empty() && known_fields::<Metadata>().is_empty());
        assert!(known_fields::<Option<UpdateContent>>().is_empty());
    }
}
