//! The fields of an upload besides its file: how they are sent, and the checks that the service will make.

use crate::captions::{self, Captions};
use crate::refusal::Refusal;
use crate::text_hash::hexadecimal_sha256;
use contract::api::{Category, Metadata, UploadRules};
use contract::mistake::{
    Ahead, invalid_text, long_metadata, not_a_picture, past_the_end, too_large_picture, unknown_category,
    wrong_schedule,
};
use contract::{ErrorCode, FieldKind, FormField, TestOutcome, Texts, Visibility, clock_time, with_texts};
use probe::PictureFormat;
use probe::judge::seconds;

with_texts! {
    (Option<String>)
    /// The optional fields of an upload.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct UploadFields {
        pub super_category_id: Option<u64>,
        /// The second of the video that becomes its thumbnail.
        pub thumbnail_seconds: Option<u32>,
        /// A JPEG, PNG or WebP picture.
        pub thumbnail: Option<Vec<u8>>,
        pub captions: Captions,
        pub scheduled_publish_at_unix: Option<u64>,
        pub visibility: Option<Visibility>,
        pub is_sensitive: bool,
        pub is_ai_generated: bool,
        pub metadata: Metadata,
        /// Whether the upload is a test, and its outcome.
        pub test: Option<TestOutcome>,
    }
}

/// Context for validating fields.
#[derive(Clone, Copy, Debug)]
pub struct FieldContext<'a> {
    pub rules: &'a UploadRules,
    /// None if the list was not requested.
    pub categories: Option<&'a [Category]>,
    /// None if the duration is unknown.
    pub duration_ms: Option<u64>,
    pub now_unix: u64,
}

impl UploadFields {
    /// Refuses fields that the service would refuse. The service checks texts by further rules, before it reads the
    /// file.
    pub fn check(&self, context: FieldContext<'_>) -> Result<(), Refusal> {
        self.check_texts(context.rules)?;
        if let (Some(id), Some(categories)) = (self.super_category_id, context.categories)
            && categories.iter().all(|category| category.id != id)
        {
            let detail = unknown_category(&id.to_string(), categories);
            return Err(Refusal::of_field(FormField::SuperCategoryId, detail));
        }
        self.check_schedule(context)?;
        self.check_thumbnail(context)?;
        captions::check(&self.captions, context.rules, context.duration_ms)
    }

    fn check_texts(&self, rules: &UploadRules) -> Result<(), Refusal> {
        for (field, text) in self.texts() {
            let (text, most) = (text.as_deref().unwrap_or_default(), rules.max_characters(field).unwrap_or(usize::MAX));
            let is_line = matches!(field.kind(), FieldKind::Line { .. });
            if text.chars().count() > most || is_line && text.chars().any(char::is_control) {
                return Err(Refusal::of_field(field, invalid_text(field.name(), text, most, is_line)));
            }
        }
        let metadata_bytes = serde_json::to_vec(&self.metadata).map_or(usize::MAX, |json| json.len());
        if !self.metadata.is_valid() || metadata_bytes > rules.max_metadata_bytes {
            let detail = long_metadata(FormField::Metadata.name(), &self.metadata, metadata_bytes);
            return Err(Refusal::of_field(FormField::Metadata, detail));
        }
        Ok(())
    }

    fn check_schedule(&self, context: FieldContext<'_>) -> Result<(), Refusal> {
        let rules = context.rules;
        let allowed = rules.min_schedule_ahead_seconds..=rules.max_schedule_ahead_seconds;
        let is_wrong = |time: &u64| !allowed.contains(&time.saturating_sub(context.now_unix));
        let Some(time) = self.scheduled_publish_at_unix.filter(is_wrong) else { return Ok(()) };
        let ahead = Ahead { least: *allowed.start(), most: *allowed.end() };
        Err(Refusal::of_field(FormField::ScheduledPublishAt, wrong_schedule(time, context.now_unix, ahead)))
    }

    fn check_thumbnail(&self, context: FieldContext<'_>) -> Result<(), Refusal> {
        let is_past_the_end = |seconds: u32| context.duration_ms.is_some_and(|ms| u64::from(seconds) * 1000 > ms);
        if self.thumbnail_seconds.is_some() && self.thumbnail.is_some() {
            return Err(Refusal::foreseen(ErrorCode::ContentThumbnailConflict, FormField::ThumbnailTime.name(), None));
        }
        if self.thumbnail_seconds.is_some_and(is_past_the_end) {
            let length = seconds(context.duration_ms.unwrap_or_default());
            let detail = past_the_end(FormField::ThumbnailTime.name(), &length);
            return Err(Refusal::of_field(FormField::ThumbnailTime, detail));
        }
        let picture = self.thumbnail.as_deref();
        picture.map_or(Ok(()), |picture| check_picture(picture, context.rules.max_thumbnail_bytes))
    }

    /// Returns the fields that are sent as text.
    pub(crate) fn form_texts(&self) -> Vec<(&'static str, String)> {
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let metadata = (!self.metadata.is_empty()).then(|| serde_json::to_string(&self.metadata).unwrap_or_default());
        let label = |is_set: bool| is_set.then(|| true.to_string());
        let others = [
            (FormField::SuperCategoryId, number(self.super_category_id)),
            (FormField::ThumbnailTime, self.thumbnail_seconds.map(|seconds| clock_time(seconds.into()))),
            (FormField::ScheduledPublishAt, number(self.scheduled_publish_at_unix)),
            (FormField::Visibility, self.visibility.map(|visibility| visibility.as_str().to_owned())),
            (FormField::IsSensitive, label(self.is_sensitive)),
            (FormField::IsAiGenerated, label(self.is_ai_generated)),
            (FormField::Metadata, metadata),
            (FormField::Test, self.test.map(|test| test.as_str().to_owned())),
        ];
        let texts = self.texts().map(|(field, text)| (field, text.clone()));
        texts.chain(others).filter_map(|(field, text)| Some((field.name(), text?))).collect()
    }

    /// Returns a hash that two uploads share if all their fields are equal.
    pub(crate) fn fingerprint(&self) -> String {
        let texts = self.form_texts();
        let mut parts: Vec<&str> = texts.iter().flat_map(|(name, text)| [*name, text.as_str()]).collect();
        let picture = self.thumbnail.as_deref().map(|bytes| contract::signature::BodyHash::of(bytes).to_string());
        parts.extend(picture.as_deref());
        let hash = |bytes: &Vec<u8>| contract::signature::BodyHash::of(bytes).to_string();
        let captions: Vec<_> = self.captions.iter().map(|(language, file)| (language, hash(file))).collect();
        parts.extend(captions.iter().flat_map(|(language, hash)| [language.as_str(), hash.as_str()]));
        hexadecimal_sha256(&parts)
    }
}

/// Refuses a picture that the service would refuse.
pub(crate) fn check_picture(picture: &[u8], max_bytes: usize) -> Result<(), Refusal> {
    let (field, is_file) = (FormField::ThumbnailFile, true);
    if picture.len() > max_bytes {
        return Err(Refusal::of_field(field, too_large_picture(field.name(), max_bytes)));
    }
    let is_known = PictureFormat::of(picture).is_some();
    if is_known { Ok(()) } else { Err(Refusal::of_field(field, not_a_picture(field.name(), picture, is_file))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn code(fields: &UploadFields) -> String {
        let rules = UploadRules::new(95_000_000, 1, 1);
        let categories = [1, 7].map(|id| Category { id, name: "Music".to_owned() });
        let context =
            FieldContext { rules: &rules, categories: Some(&categories), duration_ms: Some(5_000), now_unix: NOW };
        fields.check(context).map_or_else(|refusal| refusal.code, |()| String::new())
    }

    fn text(length: usize) -> String {
        "é".repeat(length)
    }

    #[test]
    fn each_field_is_refused_with_the_code_of_the_service() {
        let none = UploadFields::default;
        let long_text: Metadata = [("a", "x".repeat(501))].into_iter().collect();
        let too_many: Metadata = (0..9).map(|name| (name.to_string(), "x".repeat(500))).collect();
        for (fields, expected) in [
            (none(), ""),
            (UploadFields { caption: Some(text(2_200)), ..none() }, ""),
            (UploadFields { caption: Some(text(2_201)), ..none() }, "content_caption_invalid"),
            (UploadFields { ai_summary_of_content: Some(text(5_001)), ..none() }, "content_ai_summary_invalid"),
            (UploadFields { external_id: Some(text(128)), ..none() }, ""),
            (UploadFields { external_id: Some(text(129)), ..none() }, "content_external_id_invalid"),
            (UploadFields { external_id: Some("a\nb".into()), ..none() }, "content_external_id_invalid"),
            (UploadFields { super_category_id: Some(7), ..none() }, ""),
            (UploadFields { super_category_id: Some(2), ..none() }, "content_category_invalid"),
            (UploadFields { metadata: long_text, ..none() }, "content_metadata_invalid"),
            (UploadFields { metadata: too_many, ..none() }, "content_metadata_invalid"),
            (UploadFields { scheduled_publish_at_unix: Some(NOW + 300), ..none() }, ""),
            (UploadFields { scheduled_publish_at_unix: Some(NOW + 299), ..none() }, "content_schedule_invalid"),
            (UploadFields { scheduled_publish_at_unix: Some(1), ..none() }, "content_schedule_invalid"),
            (UploadFields { thumbnail_seconds: Some(5), ..none() }, ""),
            (UploadFields { thumbnail_seconds: Some(6), ..none() }, "content_thumbnail_time_invalid"),
            (UploadFields { thumbnail: Some(b"GIF89a".to_vec()), ..none() }, "content_thumbnail_invalid"),
            (UploadFields { thumbnail: Some(b"\xff\xd8\xff".to_vec()), ..none() }, ""),
            (
                UploadFields { captions: [("de".to_owned(), b"x".to_vec())].into(), ..none() },
                "content_captions_invalid",
            ),
            (
                UploadFields { thumbnail: Some(b"\xff\xd8\xff".to_vec()), thumbnail_seconds: Some(1), ..none() },
                "content_thumbnail_conflict",
            ),
        ] {
            assert_eq!(code(&fields), expected, "{fields:?}");
        }
    }

    #[test]
    fn only_the_fields_that_are_set_are_sent() {
        assert_eq!(UploadFields::default().form_texts(), []);
        let fields = UploadFields {
            thumbnail_seconds: Some(3_725),
            metadata: [("a", "1")].into_iter().collect(),
            ..UploadFields::default()
        };
        let texts = [("thumbnail_time", "01:02:05".to_owned()), ("metadata", r#"{"a":"1"}"#.to_owned())];
        assert_eq!(fields.form_texts(), texts);
    }

    #[test]
    fn a_fingerprint_depends_on_every_field() {
        let none = UploadFields::default;
        let all = [
            none(),
            UploadFields { caption: Some(text(1)), ..none() },
            UploadFields { external_id: Some(text(1)), ..none() },
            UploadFields { visibility: Some(Visibility::Unlisted), ..none() },
            UploadFields { is_sensitive: true, ..none() },
            UploadFields { is_ai_generated: true, ..none() },
            UploadFields { test: Some(TestOutcome::Failed), ..none() },
            UploadFields { thumbnail: Some(vec![1]), ..none() },
            UploadFields { thumbnail: Some(vec![2]), ..none() },
            UploadFields { captions: [("de".to_owned(), vec![1])].into(), ..none() },
            UploadFields { captions: [("en".to_owned(), vec![1])].into(), ..none() },
            UploadFields { captions: [("en".to_owned(), vec![2])].into(), ..none() },
        ];
        let hashes: std::collections::HashSet<String> = all.iter().map(UploadFields::fingerprint).collect();
        assert_eq!(hashes.len(), all.len());
    }
}
