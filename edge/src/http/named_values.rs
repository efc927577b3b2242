//! Reads the members of a JSON object, or the parameters of a query, into the fields of a type, and explains the first
//! fault: an unknown, duplicate, missing or wrong one.
//!
//! The parser's own message is dropped. While a value is read, its expected shape is noted, because only the type knows
//! it, and the explanation needs it.

use crate::base::known_categories::explain_member;
use crate::base::refusal::Refusal;
use crate::base::unknown_fields::UnknownFields;
use contract::mistake::{Received, Shape, duplicate_member, missing_member, missing_uuid};
use serde::de::value::{StrDeserializer, StringDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de, forward_to_deserialize_any};
use serde_json::Value;
use serde_json::value::RawValue;
use std::cell::Cell;
use std::fmt::{Display, Formatter, Result as Written};

/// Names and values as they were received.
pub(super) type NamedValues<'a> = Vec<(String, Received<'a>)>;

/// The kind of the names, and how unknown ones are handled.
#[derive(Clone, Copy)]
pub(super) enum Kind<'a> {
    Members(&'a UnknownFields),
    Parameters(&'a UnknownFields),
}

/// Returns the members of a JSON object, or `None` for any other text.
pub(super) fn members(bytes: &[u8]) -> Option<NamedValues<'_>> {
    serde_json::from_slice::<Members<'_>>(bytes).ok().map(|Members(members)| members)
}

/// Reads the fields of a type.
pub(super) fn read<T: DeserializeOwned>(values: &NamedValues<'_>, kind: Kind<'_>) -> Result<T, Refusal> {
    let mut reader = Reader { values, kind, next: 0, noted: &Cell::new((Shape::Unknown, Received::Text(""))) };
    let read = T::deserialize(&mut reader);
    let (name, noted) = (values.get(reader.next.saturating_sub(1)), reader.noted.get());
    read.map_err(|fault| match fault {
        Fault::Refused(refusal) => *refusal,
        // Two readers could choose different values.
        Fault::Duplicate(name) => Refusal::malformed(duplicate_member(name)).with_field(name),
        Fault::Missing(name) => missing(name, values.is_empty(), kind),
        Fault::Wrong => {
            let name = name.map_or("", |(name, _)| name);
            let (shape, received) = noted;
            Refusal::malformed(explain_member(name, received, shape)).with_field(name)
        }
    })
}

fn missing(name: &str, is_empty: bool, kind: Kind<'_>) -> Refusal {
    let is_empty_body = is_empty && matches!(kind, Kind::Members(_));
    let is_uuid = name == "content_uuid" && !is_empty_body;
    let detail = if is_uuid { missing_uuid(name) } else { missing_member(name, is_empty_body) };
    Refusal::malformed(detail).with_field(name)
}

struct Members<'de>(NamedValues<'de>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Written {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
            members.push((name, Received::Json(value.get())));
        }
        Ok(Members(members))
    }
}

/// The reason for which a type could not be read.
#[derive(Debug)]
enum Fault {
    Refused(Box<Refusal>),
    Missing(&'static str),
    Duplicate(&'static str),
    /// The value that was noted last.
    Wrong,
}

impl de::Error for Fault {
    fn custom<T: Display>(_: T) -> Self {
        Self::Wrong
    }

    fn missing_field(name: &'static str) -> Self {
        Self::Missing(name)
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self::Duplicate(name)
    }
}

impl std::error::Error for Fault {}

impl Display for Fault {
    fn fmt(&self, _: &mut Formatter<'_>) -> Written {
        Ok(())
    }
}

/// Reads a struct from named values.
struct Reader<'v, 'de> {
    values: &'v NamedValues<'de>,
    kind: Kind<'v>,
    next: usize,
    noted: &'v Cell<(Shape, Received<'de>)>,
}

impl<'de> Deserializer<'de> for &mut Reader<'_, 'de> {
    type Error = Fault;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        for (name, _) in self.values.iter().filter(|(name, _)| !fields.contains(&name.as_str())) {
            let taken = match self.kind {
                Kind::Members(unknown) => unknown.take_field(name, fields),
                Kind::Parameters(unknown) => unknown.take_parameter(name, fields),
            };
            taken.map_err(|refusal| Fault::Refused(Box::new(refusal)))?;
        }
        visitor.visit_map(self)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for Reader<'_, 'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        let Some((name, _)) = self.values.get(self.next) else { return Ok(None) };
        self.next += 1;
        let name: StrDeserializer<'_, Fault> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let value = self.values.get(self.next - 1).map_or(Received::Text(""), |(_, value)| *value);
        let read = seed.deserialize(OneValue { value, noted: self.noted });
        // A member of a nested object is not named on its own.
        read.map_err(
            |fault| if matches!(fault, Fault::Missing(_) | Fault::Duplicate(_)) { Fault::Wrong } else { fault },
        )
    }
}

/// Reads one value, and notes the shape that its type asks for.
struct OneValue<'v, 'de> {
    value: Received<'de>,
    noted: &'v Cell<(Shape, Received<'de>)>,
}

impl<'de> OneValue<'_, 'de> {
    fn note(&self, shape: Shape) {
        self.noted.set((shape, self.value));
    }

    /// Reads a number, a truth value or a text. Only small code depends on the type, because there are many types.
    fn scalar<V: Visitor<'de>>(&self, shape: Shape, visitor: V) -> Result<V::Value, Fault> {
        self.note(shape);
        match parse_scalar(self.value) {
            Some(Value::String(text)) => visitor.visit_string(text),
            Some(Value::Bool(value)) => visitor.visit_bool(value),
            Some(Value::Number(number)) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => visitor.visit_u64(number),
                (_, Some(number), _) => visitor.visit_i64(number),
                (.., Some(number)) => visitor.visit_f64(number),
                (None, None, None) => Err(Fault::Wrong),
            },
            _ => Err(Fault::Wrong),
        }
    }

    /// Reads a value that may have members of its own.
    fn nested<V: Visitor<'de>>(&self, shape: Shape, visitor: V) -> Result<V::Value, Fault> {
        self.note(shape);
        let Received::Json(json) = self.value else { return Err(Fault::Wrong) };
        serde_json::Deserializer::from_str(json).deserialize_any(visitor).map_err(|_| Fault::Wrong)
    }

    fn text<V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Fault> {
        match self.value {
            Received::Json(_) => self.scalar(Shape::Text, visitor),
            Received::Text(text) => visitor.visit_borrowed_str(text),
        }
    }
}

/// Returns a number, a truth value or a text. In a query, numbers and truth values are written as in JSON.
fn parse_scalar(value: Received<'_>) -> Option<Value> {
    let json = match value {
        Received::Json(json) => json,
        Received::Text(text) if text.bytes().all(|byte| byte.is_ascii_alphanumeric()) => text,
        Received::Text(_) => return None,
    };
    serde_json::from_str(json).ok()
}

/// The methods of types with a plain value.
macro_rules! plain {
    ($read:ident $shape:ident: $($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            self.$read(Shape::$shape, visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for OneValue<'_, 'de> {
    type Error = Fault;

    plain! { scalar Number:
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16 deserialize_u32
        deserialize_u64 deserialize_f32 deserialize_f64
    }
    plain! { scalar Truth: deserialize_bool }
    plain! { nested Unknown:
        deserialize_any deserialize_unit deserialize_bytes deserialize_byte_buf deserialize_identifier
    }
    plain! { nested Object: deserialize_map }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.text(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.text(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if matches!(self.value, Received::Json("null")) { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.note(Shape::OneOf(variants));
        let parsed = match self.value {
            Received::Json(_) => parse_scalar(self.value),
            Received::Text(text) => Some(Value::from(text)),
        };
        let Some(Value::String(text)) = parsed else { return Err(Fault::Wrong) };
        let text: StringDeserializer<Fault> = text.into_deserializer();
        visitor.visit_enum(text)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.note(Shape::List);
        let Received::Json(json) = self.value else { return Err(Fault::Wrong) };
        let elements: Vec<&'de RawValue> = serde_json::from_str(json).map_err(|_| Fault::Wrong)?;
        visitor.visit_seq(Elements { elements: elements.into_iter(), noted: self.noted })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        // A derived visitor would read a list too, member by member.
        if matches!(self.value, Received::Json(json) if json.starts_with('{')) {
            self.nested(Shape::Object, visitor)
        } else {
            self.note(Shape::Object);
            Err(Fault::Wrong)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 unit_struct tuple tuple_struct }
}

/// The elements of a list.
struct Elements<'v, 'de> {
    elements: std::vec::IntoIter<&'de RawValue>,
    noted: &'v Cell<(Shape, Received<'de>)>,
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(element) = self.elements.next() else { return Ok(None) };
        seed.deserialize(OneValue { value: Received::Json(element.get()), noted: self.noted }).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::ErrorCode;
    use contract::api::{CreateWebhook, RescheduleContent, UpdateContent};

    fn body<T: DeserializeOwned>(json: &str) -> Result<T, (ErrorCode, String, String)> {
        let members = members(json.as_bytes()).unwrap();
        let unknown = UnknownFields::default();
        read(&members, Kind::Members(&unknown)).map_err(|refusal: Refusal| {
            (refusal.code, refusal.field.unwrap_or_default().into(), refusal.detail.unwrap_or_default())
        })
    }

    #[test]
    fn an_object_is_read_as_serde_json_reads_it() {
        for json in [
            r#"{"content_uuid":"c"}"#,
            r#"{"content_uuid":"c\u00e9","caption":null,"super_category_id":3.0,"metadata":{"a":"\"1"}}"#,
            r#"{"caption":"x","scheduled_publish_at_unix":null,"thumbnail_time":"00:00:01", "content_uuid" : "c"}"#,
        ] {
            let expected: UpdateContent = serde_json::from_str(json).unwrap();
            assert_eq!(body::<UpdateContent>(json).unwrap(), expected, "{json}");
        }
    }

    #[test]
    fn the_first_fault_is_named_with_what_to_send() {
        let update = |json| body::<UpdateContent>(json).unwrap_err();
        for (json, code, field, part) in [
            ("{}", ErrorCode::RequestMalformed, "content_uuid", "The body is empty or `{}`."),
            (r#"{"caption":"a"}"#, ErrorCode::RequestMalformed, "content_uuid", "`content_uuid` is missing."),
            (r#"{"content_uuid":5}"#, ErrorCode::RequestMalformed, "content_uuid", "is `5`. Send a string"),
            (
                r#"{"content_uuid":"c","title":"a"}"#,
                ErrorCode::FieldUnknown,
                "title",
                "Unknown field `title`. Did you mean `caption`?",
            ),
            (r#"{"caption":"a","caption":"b"}"#, ErrorCode::RequestMalformed, "caption", "Duplicate `caption`."),
            (
                r#"{"content_uuid":"c","scheduled_publish_at_unix":"2027-01-01T00:00:00Z"}"#,
                ErrorCode::RequestMalformed,
                "scheduled_publish_at_unix",
                "Send Unix seconds: `1798761600`.",
            ),
            (
                r#"{"content_uuid":"c","scheduled_publish_at_unix":1.5}"#,
                ErrorCode::RequestMalformed,
                "scheduled_publish_at_unix",
                "in whole seconds: `1`",
            ),
            (
                r#"{"content_uuid":"c","metadata":{"n":5}}"#,
                ErrorCode::RequestMalformed,
                "metadata",
                "`n` in `metadata` is a number",
            ),
            (
                r#"{"content_uuid":"c","metadata":{"n":"1","n":"2"}}"#,
                ErrorCode::RequestMalformed,
                "metadata",
                "remove duplicate names",
            ),
        ] {
            let (found, named, detail) = update(json);
            assert_eq!((found, named.as_str()), (code, field), "{json}");
            assert!(detail.contains(part), "{json}: {detail}");
        }
        assert!(body::<RescheduleContent>(r#"{"content_uuid":"c"}"#).unwrap_err().2.contains("is missing"));
    }

    #[test]
    fn an_unknown_word_in_a_list_is_named_with_the_known_ones() {
        let json = r#"{"url":"https://a.example","event_types":["content.publishd"]}"#;
        let (_, field, detail) = body::<CreateWebhook>(json).unwrap_err();
        assert_eq!(field, "event_types");
        assert!(
            detail.starts_with("`content.publishd` is not a value of `event_types`. Did you mean `content.published`?")
        );
    }

    #[test]
    fn only_an_object_has_members() {
        for other in ["", "[]", "1", "null", "{}{}", "{", "{'a':1}", "\"a\""] {
            assert!(members(other.as_bytes()).is_none(), "{other}");
        }
    }
}
