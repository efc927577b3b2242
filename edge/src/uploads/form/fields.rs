//! The text fields of the form: parsing and validation, each with its own error code.

use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::field_rules::{clock_time, is_valid_text, parse_metadata};
use crate::contents::life::rules::schedule;
use contract::api::Metadata;
use contract::mistake::too_long_text;
use contract::{ErrorCode, FormField, TestOutcome, Texts, Visibility, parse_flag, with_texts};
use multipart::FieldTextError;
use serde::Serialize;

with_texts! {
    // Omitted if `None`, so that the fingerprints of uploads without a field do not depend on whether it exists.
    (#[serde(skip_serializing_if = "Option::is_none")] Option<String>)
    /// The values of the fields. All but the token are part of the upload's fingerprint.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
    pub(crate) struct Fields {
        pub super_category_id: Option<u64>,
        pub thumbnail_time_seconds: Option<u32>,
        pub scheduled_publish_at_unix: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub visibility: Option<Visibility>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub is_sensitive: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub is_ai_generated: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub metadata: Option<Metadata>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub test: Option<TestOutcome>,
        #[serde(skip)]
        pub upload_token: Option<String>,
    }
}

/// Context for validating fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldContext<'a> {
    pub category_ids: &'a [u64],
    /// The time at which the upload started. A schedule that was valid then stays valid on a slow network.
    pub started_at: UnixSeconds,
}

/// Returns the refusal for a value that is not text, or too long to be valid.
pub(super) fn refusal_of_text(field: FormField, error: FieldTextError) -> Refusal {
    let (name, refusal) = (field.name(), Refusal::of_field(field));
    match error {
        FieldTextError::TooLong => match field.max_characters() {
            Some(most) => refusal.with_detail(too_long_text(name, most)),
            None => refusal,
        },
        FieldTextError::NotUtf8 => {
            refusal.with_detail(format!("The form field `{name}` is not UTF-8. Encode it as UTF-8."))
        }
        FieldTextError::ContainsNul => {
            refusal.with_detail(format!("The form field `{name}` contains a NUL character. Remove it."))
        }
    }
}

impl Fields {
    /// Parses and stores the value of a field. An HTML form sends fields that were left empty, so an empty value counts
    /// as absent.
    pub(crate) fn set(&mut self, field: FormField, text: &str) -> Result<(), Refusal> {
        if text.is_empty() {
            return Ok(());
        }
        let fits = match field {
            FormField::SuperCategoryId => put(&mut self.super_category_id, digits(text)),
            FormField::ThumbnailTime => put(&mut self.thumbnail_time_seconds, clock_time(text)),
            FormField::ScheduledPublishAt => put(&mut self.scheduled_publish_at_unix, digits(text)),
            FormField::Visibility => put(&mut self.visibility, Visibility::named(text)),
            FormField::IsSensitive => put(&mut self.is_sensitive, parse_flag(text)),
            FormField::IsAiGenerated => put(&mut self.is_ai_generated, parse_flag(text)),
            FormField::Test if text == "false" => true,
            FormField::Test => put(&mut self.test, TestOutcome::named(text)),
            FormField::Metadata => put(&mut self.metadata, Some(parse_metadata(text)?)),
            FormField::UploadToken => return self.set_token(text),
            field => self.set_text(field, text),
        };
        if fits { Ok(()) } else { Err(Refusal::of_value(field, text)) }
    }

    fn set_text(&mut self, field: FormField, text: &str) -> bool {
        let text = is_valid_text(field, text).then(|| text.to_owned());
        self.text_mut(field).is_some_and(|place| put(place, text))
    }

    /// Stores the token. The header of the request may have set it.
    fn set_token(&mut self, text: &str) -> Result<(), Refusal> {
        let token = parse_token(text).ok_or_else(|| Refusal::of_value(FormField::UploadToken, text))?;
        if self.upload_token.get_or_insert_with(|| token.clone()) == &token {
            return Ok(());
        }
        let detail = "The header `Idempotency-Key` and the field `upload_token` differ. Send one of them, or the same \
                      UUID in both.";
        let refusal = Refusal::new(ErrorCode::UploadTokenMismatch).with_field(FormField::UploadToken.name());
        Err(refusal.with_detail(detail))
    }

    /// Validates the values that depend on the context. A replay skips this, because the context may have changed
    /// since.
    pub(crate) fn check(&self, context: FieldContext<'_>) -> Result<(), Refusal> {
        let FieldContext { category_ids, started_at } = context;
        if let Some(id) = self.super_category_id.filter(|id| !category_ids.contains(id)) {
            return Err(Refusal::unknown_category(id));
        }
        let is_too_early_or_late = |time: &UnixSeconds| !schedule::is_allowed(*time, started_at);
        let wrong = self.scheduled_publish_at_unix.map(UnixSeconds).filter(is_too_early_or_late);
        wrong.map_or(Ok(()), |time| Err(Refusal::wrong_schedule(time, started_at)))
    }
}

/// Stores the value; returns whether there was one.
fn put<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
}

/// Parses decimal digits only: no sign and no space, so that no two parsers read them differently.
fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Parses a hyphenated UUID and returns it in lower case, so that each UUID has one spelling.
pub(crate) fn parse_token(text: &str) -> Option<String> {
    const HYPHENATED: usize = 36;
    let uuid = uuid::Uuid::try_parse(text).ok()?;
    (text.len() == HYPHENATED).then(|| uuid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CONTEXT: FieldContext<'static> = FieldContext { category_ids: &[1, 7], started_at: UnixSeconds(1_000_000) };

    fn code(field: FormField, text: &str) -> Option<&'static str> {
        let mut fields = Fields::default();
        let set = fields.set(field, text);
        let outcome = set.and_then(|()| fields.check(CONTEXT));
        outcome.err().map(|error| error.code.as_str())
    }

    #[test]
    fn text_that_reads_as_something_else_is_refused() {
        for (text, is_refused) in [("a\u{202e}b", true), ("\u{2066}a\u{2069}", true), ("\u{5e9}\u{200f}!", false)] {
            for (field, _) in Fields::default().texts() {
                assert_eq!(code(field, text), is_refused.then_some(field.code().as_str()), "{field:?} {text:?}");
            }
        }
    }

    #[test]
    fn text_lengths_are_counted_in_characters_not_bytes() {
        assert_eq!(code(FormField::Caption, &"é".repeat(2_200)), None);
        assert_eq!(code(FormField::Caption, &"a".repeat(2_201)), Some("content_caption_invalid"));
        assert_eq!(code(FormField::AiSummaryOfContent, &"日".repeat(5_000)), None);
        assert_eq!(code(FormField::AiSummaryOfContent, &"a".repeat(5_001)), Some("content_ai_summary_invalid"));
    }

    #[test]
    fn an_empty_value_is_as_if_it_was_not_sent() {
        let mut fields = Fields::default();
        for field in FormField::texts() {
            fields.set(field, "").unwrap();
        }
        assert_eq!(fields, Fields::default());
    }

    #[test]
    fn a_category_must_be_on_the_list() {
        assert_eq!(code(FormField::SuperCategoryId, "7"), None);
        for wrong in ["2", "seven", "+7", " 7", "7.0", "-7", "99999999999999999999", "0x7"] {
            assert_eq!(code(FormField::SuperCategoryId, wrong), Some("content_category_invalid"), "{wrong}");
        }
    }

    #[test]
    fn a_thumbnail_time_has_two_digits_for_hours_minutes_and_seconds() {
        assert_eq!(clock_time("00:01:40"), Some(100));
        for wrong in ["1:00:00", "00:00", "00:60:00", "00:00:60", "00:00:00.5", "-0:00:01", "00:00:0١", "::"] {
            assert_eq!(code(FormField::ThumbnailTime, wrong), Some("content_thumbnail_time_invalid"), "{wrong}");
        }
    }

    #[test]
    fn labels_and_visibility_have_few_values() {
        for field in [FormField::IsSensitive, FormField::IsAiGenerated] {
            assert_eq!([code(field, "true"), code(field, "false")], [None, None]);
            for wrong in ["yes", "1", "True", "on", " true"] {
                assert_eq!(code(field, wrong), Some("content_label_invalid"), "{wrong}");
            }
        }
        assert_eq!([code(FormField::Visibility, "public"), code(FormField::Visibility, "unlisted")], [None, None]);
        for wrong in ["private", "Public", "hidden"] {
            assert_eq!(code(FormField::Visibility, wrong), Some("content_visibility_invalid"), "{wrong}");
        }
    }

    #[test]
    fn a_schedule_must_be_5_minutes_to_180_days_ahead() {
        let in_seconds = |ahead: u64| code(FormField::ScheduledPublishAt, &(CONTEXT.started_at + ahead).to_string());
        assert_eq!(in_seconds(299), Some("content_schedule_invalid"));
        assert_eq!(in_seconds(300), None);
        assert_eq!(in_seconds(15_552_000), None);
        assert_eq!(in_seconds(15_552_001), Some("content_schedule_invalid"));
        assert_eq!(code(FormField::ScheduledPublishAt, "1"), Some("content_schedule_invalid"));
    }

    #[test]
    fn a_token_is_a_hyphenated_uuid_in_upper_or_lower_case() {
        let token = "0190F0A8-7C3B-7D1E-8A11-1B2C3D4E5F60";
        let mut fields = Fields::default();
        fields.set(FormField::UploadToken, token).unwrap();
        assert_eq!(fields.upload_token.as_deref(), Some(token.to_lowercase().as_str()));
        for wrong in ["0190f0a87c3b7d1e8a111b2c3d4e5f60", "{0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60}", "x"] {
            assert_eq!(code(FormField::UploadToken, wrong), Some("upload_token_invalid"), "{wrong}");
        }
    }

    #[test]
    fn an_external_id_and_metadata_are_bounded() {
        assert_eq!(code(FormField::ExternalId, "order 7"), None);
        assert_eq!(code(FormField::ExternalId, "a\nb"), Some("content_external_id_invalid"));
        assert_eq!(code(FormField::Metadata, r#"{"campaign":"spring"}"#), None);
        for wrong in ["spring", "[]", r#"{"a":1}"#, r#"{"a":"1","a":"2"}"#] {
            assert_eq!(code(FormField::Metadata, wrong), Some("content_metadata_invalid"), "{wrong}");
        }
    }

    #[test]
    fn a_fingerprint_does_not_depend_on_the_texts_that_the_service_knows() {
        let json = serde_json::to_value(Fields::default()).unwrap();
        for (field, _) in Fields::default().texts() {
            assert!(json.get(field.name()).is_none(), "{field:?}");
        }
        assert!(json.get(FormField::Metadata.name()).is_none());
    }

    proptest! {
        #[test]
        fn any_text_is_accepted_or_refused_with_the_code_of_its_field(text in ".{0,60}") {
            for field in FormField::texts() {
                let own_code = field.code().as_str();
                prop_assert!(code(field, &text).is_none_or(|code| code == own_code));
            }
        }

        #[test]
        fn a_value_within_the_limit_of_characters_is_within_the_limit_of_bytes(text in any::<char>()) {
            for field in FormField::ALL {
                let Some(most) = field.max_characters() else { continue };
                prop_assert!(Some(text.to_string().repeat(most).len()) <= field.max_text_bytes());
            }
        }
    }
}
