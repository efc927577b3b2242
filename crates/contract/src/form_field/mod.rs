//! The fields of the upload form: their names, kinds, limits, refusals and documentation.
//!
//! The table is in `table`. The form parser of the edge, the updates of a video, the client, and the OpenAPI document
//! follow from it.

#[cfg(feature = "openapi")]
mod schema;
mod table;
mod texts;

use crate::ErrorCode;
use crate::form_fields;
use crate::limits::MAX_METADATA_BYTES;
#[cfg(feature = "openapi")]
pub(crate) use schema::{update_properties, upload_properties, uuid};
pub use texts::Texts;

/// UTF-8 has characters of up to four bytes.
const MAX_CHARACTER_BYTES: usize = 4;

/// Longer than any number, time or UUID.
const MAX_SHORT_TEXT_BYTES: usize = 64;

/// The values that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A text of any number of lines.
    Text {
        max_characters: usize,
    },
    /// A text without control characters, so that it fits into one line of a log.
    Line {
        max_characters: usize,
    },
    /// Decimal digits.
    Number,
    /// `hh:mm:ss`.
    ClockTime,
    /// Unix time in seconds.
    UnixTime,
    /// `true` or `false`.
    Flag,
    /// A `Visibility`.
    Visibility,
    /// `false`, `true`, or a `TestOutcome`.
    TestOutcome,
    /// `Metadata` as JSON.
    JsonObject,
    /// A UUID with hyphens.
    Uuid,
    File,
    /// A field for each language, which ends its name.
    FilePerLanguage,
}

/// The use of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldPurpose {
    /// It describes the video, or decides how it is shown.
    Video,
    /// Only the client interprets it.
    Client,
}

macro_rules! form_field {
    (
        texts { $($text:ident $Text:ident {
            $kind:ident($max:tt, $limit:ident) $purpose:ident $code:ident $option:tt $doc:tt $example:tt
        })* }
        others { $($other:ident $Other:ident {
            $other_kind:ident $other_purpose:ident $other_code:ident $other_doc:tt $($update_doc:tt)+
        })* }
    ) => {
        /// A field of the upload form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FormField { $($Text,)* $($Other,)* }

        impl FormField {
            pub const ALL: &[Self] = &[$(Self::$Text,)* $(Self::$Other,)*];

            /// The names of all fields. That of `CaptionsFile` lacks its language.
            pub const NAMES: &[&str] = &[$(stringify!($text),)* $(stringify!($other),)*];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$Text => stringify!($text),)* $(Self::$Other => stringify!($other),)* }
            }

            pub const fn kind(self) -> FieldKind {
                match self {
                    $(Self::$Text => FieldKind::$kind { max_characters: $max },)*
                    $(Self::$Other => FieldKind::$other_kind,)*
                }
            }

            pub const fn purpose(self) -> FieldPurpose {
                match self {
                    $(Self::$Text => FieldPurpose::$purpose,)*
                    $(Self::$Other => FieldPurpose::$other_purpose,)*
                }
            }

            /// Returns the code of the refusal of an invalid value.
            pub const fn code(self) -> ErrorCode {
                match self { $(Self::$Text => ErrorCode::$code,)* $(Self::$Other => ErrorCode::$other_code,)* }
            }

            /// Returns an example of a text, or `None` for a field of another kind.
            pub const fn example(self) -> Option<&'static str> {
                match self { $(Self::$Text => Some($example),)* $(Self::$Other => None,)* }
            }

            /// Returns the documentation of the field in an upload.
            pub const fn documentation(self) -> &'static str {
                match self { $(Self::$Text => $doc,)* $(Self::$Other => $other_doc,)* }
            }

            /// Returns the documentation of the field in an update, or `None` if an update cannot change it.
            pub const fn update_documentation(self) -> Option<&'static str> {
                match self { $(Self::$Text => Some($doc),)* $(Self::$Other => $($update_doc)+,)* }
            }
        }
    };
}

form_fields!(form_field);

impl FormField {
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|field| field.name() == name)
    }

    /// Returns the fields that are received as text, and not as a file.
    pub fn texts() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|field| field.max_text_bytes().is_some())
    }

    /// Returns the most bytes that a valid value can have. Returns `None` for a file.
    pub const fn max_text_bytes(self) -> Option<usize> {
        match self.kind() {
            FieldKind::Text { max_characters } | FieldKind::Line { max_characters } => {
                Some(MAX_CHARACTER_BYTES * max_characters)
            }
            FieldKind::JsonObject => Some(MAX_METADATA_BYTES),
            FieldKind::Number
            | FieldKind::ClockTime
            | FieldKind::UnixTime
            | FieldKind::Flag
            | FieldKind::Visibility
            | FieldKind::TestOutcome
            | FieldKind::Uuid => Some(MAX_SHORT_TEXT_BYTES),
            FieldKind::File | FieldKind::FilePerLanguage => None,
        }
    }

    /// Returns the most characters of a text, or `None` for a field of another kind.
    pub const fn max_characters(self) -> Option<usize> {
        match self.kind() {
            FieldKind::Text { max_characters } | FieldKind::Line { max_characters } => Some(max_characters),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::UpdateContent;
    use crate::limits::MAX_CAPTIONS_BYTES;
    use crate::subtitles::{CAPTIONS_FIELD_PREFIX, MAX_SUBTITLE_TRACKS};

    fn with_commas(number: usize) -> String {
        if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
    }

    #[test]
    fn a_field_is_found_by_its_name() {
        for (field, name) in FormField::ALL.iter().zip(FormField::NAMES) {
            assert_eq!((field.name(), FormField::named(name)), (*name, Some(*field)));
        }
        assert_eq!(FormField::named("labels"), None);
    }

    #[test]
    fn the_refusal_of_a_text_names_its_field_and_its_limit() {
        for field in FormField::ALL {
            let Some(most) = field.max_characters() else { continue };
            let text = field.code().text();
            assert!(text.starts_with(&format!("`{}` ", field.name())), "{text}");
            assert!(text.contains(&format!("{} characters", with_commas(most))), "{text}");
        }
    }

    #[test]
    fn an_update_has_the_fields_that_it_may_change() {
        for field in FormField::ALL {
            let json = format!(r#"{{"content_uuid":"c","{}":null}}"#, field.name());
            let is_changed = serde_json::from_str::<UpdateContent>(&json).unwrap() != UpdateContent::of("c");
            assert_eq!(is_changed, field.update_documentation().is_some(), "{field:?}");
        }
    }

    #[test]
    fn the_documentation_of_captions_names_their_limits() {
        let text = FormField::CaptionsFile.documentation();
        assert!(text.contains(&format!("{} KiB", MAX_CAPTIONS_BYTES / 1024)));
        assert!(text.contains(&format!("{MAX_SUBTITLE_TRACKS} languages")));
        assert!(CAPTIONS_FIELD_PREFIX.starts_with(FormField::CaptionsFile.name()));
    }
}
