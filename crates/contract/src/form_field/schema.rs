//! The JSON schemas of the fields, in the form of an upload and in an update.

use super::{FieldKind, FormField};
use crate::limits::{MAX_METADATA_BYTES, MAX_SAFE_INTEGER};
use crate::{TestOutcome, Visibility};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, OneOfBuilder, Ref, Schema, SchemaFormat, SchemaType, Type};

/// Returns the fields of an upload, apart from the captions: their names have a pattern.
pub(crate) fn upload_properties() -> impl Iterator<Item = (FormField, ObjectBuilder)> {
    let fields = FormField::ALL.iter().filter(|field| **field != FormField::CaptionsFile);
    fields.map(|field| (*field, schema(*field).description(Some(field.documentation()))))
}

/// Returns the fields of an update. Each can be null.
pub(crate) fn update_properties() -> impl Iterator<Item = (FormField, RefOr<Schema>)> {
    let fields = FormField::ALL.iter();
    fields.filter_map(|field| Some((*field, nullable(*field, field.update_documentation()?))))
}

fn nullable(field: FormField, documentation: &str) -> RefOr<Schema> {
    if field.kind() == FieldKind::JsonObject {
        let metadata = Ref::builder().ref_location_from_schema_name("Metadata").description(Some(documentation));
        let null = ObjectBuilder::new().schema_type(Type::Null);
        return Schema::from(OneOfBuilder::new().item(metadata.build()).item(null)).into();
    }
    let schema = schema(field).description(Some(documentation));
    let types: SchemaType = [json_type(field.kind()), Type::Null].into_iter().collect();
    schema.schema_type(types).into()
}

/// Returns the schema of a UUID.
pub(crate) fn uuid() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).format(Some(SchemaFormat::Custom("uuid".to_owned())))
}

fn json_type(kind: FieldKind) -> Type {
    match kind {
        FieldKind::Number | FieldKind::UnixTime => Type::Integer,
        FieldKind::Flag => Type::Boolean,
        _ => Type::String,
    }
}

fn schema(field: FormField) -> ObjectBuilder {
    let schema = ObjectBuilder::new().schema_type(json_type(field.kind()));
    let format = |format| Some(SchemaFormat::KnownFormat(format));
    match field.kind() {
        FieldKind::Text { max_characters } | FieldKind::Line { max_characters } => {
            schema.max_length(Some(max_characters)).examples(field.example())
        }
        FieldKind::Number | FieldKind::UnixTime => {
            schema.format(format(KnownFormat::Int64)).minimum(Some(0)).maximum(Some(MAX_SAFE_INTEGER))
        }
        FieldKind::ClockTime => schema.pattern(Some("^[0-9]{2}:[0-5][0-9]:[0-5][0-9]$")).examples(["00:00:02"]),
        FieldKind::Flag => schema,
        FieldKind::Visibility => schema.enum_values(Some(Visibility::NAMES)),
        FieldKind::TestOutcome => schema.enum_values(Some(["false"].into_iter().chain(TestOutcome::values()))),
        FieldKind::JsonObject => schema.max_length(Some(MAX_METADATA_BYTES)).examples([r#"{"campaign":"spring"}"#]),
        FieldKind::Uuid => uuid(),
        FieldKind::File | FieldKind::FilePerLanguage => schema.format(format(KnownFormat::Binary)),
    }
}
