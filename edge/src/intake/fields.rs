//! The form's text fields: read, checked one by one, each with the code of its own fault.

use crate::error::ApiError;
use crate::publication::is_schedule;
use contract::ErrorCode;
use contract::limits::{MAX_AI_SUMMARY_CHARACTERS, MAX_CAPTION_CHARACTERS};
use serde::Serialize;

/// A text field that means something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldName {
    Caption,
    SuperCategoryId,
    ThumbnailTime,
    AiSummaryOfContent,
    ScheduledPublishAt,
    UploadToken,
}

/// What the fields said. All but the token is part of what makes two uploads the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Fields {
    pub caption: Option<String>,
    pub super_category_id: Option<u64>,
    pub thumbnail_time_seconds: Option<u32>,
    pub ai_summary_of_content: Option<String>,
    pub scheduled_publish_at_unix: Option<u64>,
    #[serde(skip)]
    pub upload_token: Option<String>,
}

/// What fields are checked against beside their form.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    pub category_ids: &'a [u64],
    /// When the upload began: a schedule that fitted then is not spoilt by a slow network.
    pub began_at_unix: u64,
}

impl FieldName {
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "caption" => Self::Caption,
            "super_category_id" => Self::SuperCategoryId,
            "thumbnail_time" => Self::ThumbnailTime,
            "ai_summary_of_content" => Self::AiSummaryOfContent,
            "scheduled_publish_at_unix" => Self::ScheduledPublishAt,
            "upload_token" => Self::UploadToken,
            _ => return None,
        })
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Caption => "caption",
            Self::SuperCategoryId => "super_category_id",
            Self::ThumbnailTime => "thumbnail_time",
            Self::AiSummaryOfContent => "ai_summary_of_content",
            Self::ScheduledPublishAt => "scheduled_publish_at_unix",
            Self::UploadToken => "upload_token",
        }
    }

    /// The refusal of a value that does not fit, also of one that is no text or far too long.
    pub fn refusal(self) -> ApiError {
        let code = match self {
            Self::Caption => ErrorCode::ContentCaptionInvalid,
            Self::SuperCategoryId => ErrorCode::ContentCategoryInvalid,
            Self::ThumbnailTime => ErrorCode::ContentThumbnailTimeInvalid,
            Self::AiSummaryOfContent => ErrorCode::ContentAiSummaryInvalid,
            Self::ScheduledPublishAt => ErrorCode::ContentScheduleInvalid,
            Self::UploadToken => ErrorCode::UploadTokenInvalid,
        };
        ApiError::new(code).with_field(self.as_str())
    }
}

impl Fields {
    /// Takes a field's value, or refuses what can never be one.
    pub fn set(&mut self, name: FieldName, text: String) -> Result<(), ApiError> {
        let fits = match name {
            FieldName::Caption => put(&mut self.caption, bounded(text, MAX_CAPTION_CHARACTERS)),
            FieldName::AiSummaryOfContent => put(
                &mut self.ai_summary_of_content,
                bounded(text, MAX_AI_SUMMARY_CHARACTERS),
            ),
            FieldName::SuperCategoryId => put(&mut self.super_category_id, digits(&text)),
            FieldName::ThumbnailTime => put(&mut self.thumbnail_time_seconds, clock_time(&text)),
            FieldName::ScheduledPublishAt => {
                put(&mut self.scheduled_publish_at_unix, digits(&text))
            }
            FieldName::UploadToken => put(&mut self.upload_token, token(&text)),
        };
        if fits { Ok(()) } else { Err(name.refusal()) }
    }

    /// Refuses values that do not fit the circumstances. Those change: an upload that fitted once may be repeated when
    /// its values do not fit any more.
    pub fn check(&self, circumstances: Circumstances<'_>) -> Result<(), ApiError> {
        let Circumstances {
            category_ids,
            began_at_unix,
        } = circumstances;
        let is_category = |id: u64| category_ids.contains(&id);
        let is_ahead = |time| is_schedule(time, began_at_unix);
        if !self.super_category_id.is_none_or(is_category) {
            return Err(FieldName::SuperCategoryId.refusal());
        }
        if !self.scheduled_publish_at_unix.is_none_or(is_ahead) {
            return Err(FieldName::ScheduledPublishAt.refusal());
        }
        Ok(())
    }
}

/// Whether there was a value to put.
fn put<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
}

fn bounded(text: String, most: usize) -> Option<String> {
    (text.chars().count() <= most).then_some(text)
}

/// Decimal digits alone: no sign, no space, nothing that two parsers read differently.
fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// `hh:mm:ss` in seconds.
fn clock_time(text: &str) -> Option<u32> {
    let parts: Vec<&str> = text.split(':').collect();
    let two_digits =
        |part: &&str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    let [hours, minutes, seconds] = parts.as_slice() else {
        return None;
    };
    if ![hours, minutes, seconds].into_iter().all(two_digits) {
        return None;
    }
    let number = |part: &str| part.parse::<u32>().ok();
    let (hours, minutes, seconds) = (number(hours)?, number(minutes)?, number(seconds)?);
    (minutes < 60 && seconds < 60).then_some(hours * 3600 + minutes * 60 + seconds)
}

/// The hyphenated form, in lower case: a UUID has one spelling here.
fn token(text: &str) -> Option<String> {
    const HYPHENATED: usize = 36;
    let uuid = uuid::Uuid::try_parse(text).ok()?;
    (text.len() == HYPHENATED).then(|| uuid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CIRCUMSTANCES: Circumstances<'static> = Circumstances {
        category_ids: &[1, 7],
        began_at_unix: 1_000_000,
    };

    fn code(name: FieldName, text: &str) -> Option<&'static str> {
        let mut fields = Fields::default();
        let set = fields.set(name, text.to_owned());
        let outcome = set.and_then(|()| fields.check(CIRCUMSTANCES));
        outcome.err().map(|error| error.code.as_str())
    }

    #[test]
    fn texts_are_counted_in_characters_not_bytes() {
        assert_eq!(code(FieldName::Caption, &"é".repeat(2_200)), None);
        assert_eq!(
            code(FieldName::Caption, &"a".repeat(2_201)),
            Some("content_caption_invalid")
        );
        assert_eq!(
            code(FieldName::AiSummaryOfContent, &"日".repeat(5_000)),
            None
        );
        assert_eq!(
            code(FieldName::AiSummaryOfContent, &"a".repeat(5_001)),
            Some("content_ai_summary_invalid")
        );
        assert_eq!(code(FieldName::Caption, ""), None);
    }

    #[test]
    fn a_category_is_one_of_the_list() {
        assert_eq!(code(FieldName::SuperCategoryId, "7"), None);
        for wrong in [
            "2",
            "",
            "seven",
            "+7",
            " 7",
            "7.0",
            "-7",
            "99999999999999999999",
            "0x7",
        ] {
            assert_eq!(
                code(FieldName::SuperCategoryId, wrong),
                Some("content_category_invalid"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_thumbnail_time_has_two_digits_in_each_place() {
        assert_eq!(clock_time("00:01:40"), Some(100));
        for wrong in [
            "1:00:00",
            "00:00",
            "00:60:00",
            "00:00:60",
            "00:00:00.5",
            "-0:00:01",
            "00:00:0١",
            "",
            "::",
        ] {
            assert_eq!(
                code(FieldName::ThumbnailTime, wrong),
                Some("content_thumbnail_time_invalid"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_schedule_is_five_minutes_to_180_days_ahead() {
        let in_seconds = |ahead: u64| {
            code(
                FieldName::ScheduledPublishAt,
                &(CIRCUMSTANCES.began_at_unix + ahead).to_string(),
            )
        };
        assert_eq!(in_seconds(299), Some("content_schedule_invalid"));
        assert_eq!(in_seconds(300), None);
        assert_eq!(in_seconds(15_552_000), None);
        assert_eq!(in_seconds(15_552_001), Some("content_schedule_invalid"));
        assert_eq!(
            code(FieldName::ScheduledPublishAt, "1"),
            Some("content_schedule_invalid")
        );
    }

    #[test]
    fn a_token_is_a_hyphenated_uuid_in_any_case() {
        let token = "0190F0A8-7C3B-7D1E-8A11-1B2C3D4E5F60";
        let mut fields = Fields::default();
        fields
            .set(FieldName::UploadToken, token.to_owned())
            .unwrap();
        assert_eq!(
            fields.upload_token.as_deref(),
            Some(token.to_lowercase().as_str())
        );
        for wrong in [
            "",
            "0190f0a87c3b7d1e8a111b2c3d4e5f60",
            "{0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60}",
            "x",
        ] {
            assert_eq!(
                code(FieldName::UploadToken, wrong),
                Some("upload_token_invalid"),
                "{wrong}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in ".{0,60}") {
            for name in ["caption", "super_category_id", "thumbnail_time", "scheduled_publish_at_unix", "upload_token"] {
                let _ = code(FieldName::parse(name).unwrap(), &text);
            }
        }

        #[test]
        fn every_time_of_day_is_read_back(seconds in 0_u32..100 * 3600) {
            let text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
            prop_assert_eq!(clock_time(&text), Some(seconds));
        }
    }
}
