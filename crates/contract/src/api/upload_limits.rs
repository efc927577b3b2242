//! The limits of uploads, as clients see them.

#[cfg(feature = "openapi")]
use crate::example::TOMORROW;
use crate::limits::{
    DEFAULT_MAX_RESUMABLE_BYTES, MAX_CAPTIONS_BYTES, MAX_METADATA_BYTES, MAX_METADATA_MEMBERS,
    MAX_METADATA_NAME_CHARACTERS, MAX_METADATA_VALUE_CHARACTERS, MAX_PIXELS_PER_SECOND, MAX_THUMBNAIL_BYTES,
    SCHEDULE_AHEAD_SECONDS, THUMBNAIL_MEDIA_TYPES, VIDEO_DURATION_MS, VIDEO_EXTENSIONS,
};
use crate::subtitles::MAX_SUBTITLE_TRACKS;
#[cfg(feature = "openapi")]
use crate::{
    ErrorCode,
    limits::{
        DEFAULT_MAX_FILE_BYTES, KEY_REQUESTS_SECONDS, MAX_KEY_REQUESTS, MIN_UPLOAD_BYTES_PER_SECOND,
        UPLOAD_PACE_SECONDS,
    },
};
use crate::{FormField, form_fields};
use serde::{Deserialize, Serialize};

/// The limit fields of the upload result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LimitState {
    /// The translation key of the message to show when the limit is reached.
    pub ui_limit_failure_translation_key: String,
    /// Whether the limit is reached, so that the next upload would be rejected.
    pub is_limit_activated: bool,
    /// The time at which the limit resets; null while uploads are accepted.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub limit_reset_time_unix: Option<u64>,
    pub limit_amount: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct UploadLimits {
    pub success: bool,
    #[serde(flatten)]
    pub limit: LimitState,
    /// The number of uploads that remain today.
    pub remaining: u32,
    /// The maximum number of uploads that the channel may have open at once. Further uploads are rejected with
    /// `too_many_uploads`.
    pub max_open_uploads: u32,
    /// The number of uploads that the channel has open now.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub open_uploads: u32,
    /// The maximum number of changes per day to the channel's videos: texts, thumbnails, captions and schedules
    /// together. Further changes are rejected with `daily_change_limit_reached`.
    // An older service does not send these three fields, and has no such limit.
    #[serde(default = "unlimited")]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub max_daily_changes: u32,
    /// The number of changes that remain today.
    #[serde(default = "unlimited")]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub remaining_changes: u32,
    /// The time at which the limit of changes resets.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub changes_reset_time_unix: u64,
    /// The maximum number of requests with the key in `request_period_seconds`. Further requests are rejected with
    /// `rate_limited`.
    pub max_requests: u32,
    pub request_period_seconds: u64,
    pub accepts: UploadRules,
}

macro_rules! upload_rules {
    (
        texts { $($text:ident $Text:ident { $kind:ident($max:tt, $limit:ident) $($column:tt)* })* }
        others $others:tt
    ) => {
        /// The limits for the fields and the video of an upload, and its minimum speed. An upload outside them is
        /// rejected.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        pub struct UploadRules {
            pub max_file_bytes: u64,
            /// The maximum size of a video in a resumable upload. Send at most `max_file_bytes` in each of its
            /// requests.
            // An older service takes uploads in one request only.
            #[serde(default)]
            #[cfg_attr(feature = "openapi", schema(required))]
            pub max_resumable_bytes: u64,
            /// The usual file name extensions of the accepted formats. The content of the file decides, not its name.
            pub file_extensions: Vec<String>,
            pub min_duration_ms: u64,
            pub max_duration_ms: u64,
            $(pub $limit: usize,)*
            pub max_metadata_members: usize,
            pub max_metadata_name_characters: usize,
            pub max_metadata_value_characters: usize,
            /// The maximum length of the metadata as JSON.
            pub max_metadata_bytes: usize,
            pub max_thumbnail_bytes: usize,
            pub thumbnail_media_types: Vec<String>,
            /// The maximum size of all captions of an upload together, and of a captions file that is sent later.
            // The first release of the service does not send these three fields. Clients then assume the default
            // limits.
            #[serde(default = "max_captions_bytes")]
            #[cfg_attr(feature = "openapi", schema(required))]
            pub max_captions_bytes: usize,
            #[serde(default = "max_captions_languages")]
            #[cfg_attr(feature = "openapi", schema(required))]
            pub max_captions_languages: u32,
            /// The maximum number of pixels per second, on average: width times height times frame rate.
            #[serde(default = "max_pixels_per_second")]
            #[cfg_attr(feature = "openapi", schema(required))]
            pub max_pixels_per_second: u32,
            /// The minimum time ahead for which a publication can be scheduled.
            pub min_schedule_ahead_seconds: u64,
            /// The maximum time ahead for which a publication can be scheduled.
            pub max_schedule_ahead_seconds: u64,
            /// An upload that is slower than this on average over `pace_seconds` ends with `upload_too_slow`.
            pub min_bytes_per_second: u64,
            pub pace_seconds: u64,
        }

        impl UploadRules {
            /// Returns the rules of a service that accepts files of up to `max_file_bytes` bytes at this pace.
            pub fn new(max_file_bytes: u64, min_bytes_per_second: u64, pace_seconds: u64) -> Self {
                let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
                Self {
                    max_file_bytes,
                    max_resumable_bytes: DEFAULT_MAX_RESUMABLE_BYTES,
                    file_extensions: owned(VIDEO_EXTENSIONS),
                    min_duration_ms: *VIDEO_DURATION_MS.start(),
                    max_duration_ms: *VIDEO_DURATION_MS.end(),
                    $($limit: $max,)*
                    max_metadata_members: MAX_METADATA_MEMBERS,
                    max_metadata_name_characters: MAX_METADATA_NAME_CHARACTERS,
                    max_metadata_value_characters: MAX_METADATA_VALUE_CHARACTERS,
                    max_metadata_bytes: MAX_METADATA_BYTES,
                    max_thumbnail_bytes: MAX_THUMBNAIL_BYTES,
                    thumbnail_media_types: owned(THUMBNAIL_MEDIA_TYPES),
                    max_captions_bytes: max_captions_bytes(),
                    max_captions_languages: max_captions_languages(),
                    max_pixels_per_second: max_pixels_per_second(),
                    min_schedule_ahead_seconds: *SCHEDULE_AHEAD_SECONDS.start(),
                    max_schedule_ahead_seconds: *SCHEDULE_AHEAD_SECONDS.end(),
                    min_bytes_per_second,
                    pace_seconds,
                }
            }

            /// Returns the most characters of a text, or `None` for a field of another kind.
            pub fn max_characters(&self, field: FormField) -> Option<usize> {
                match field { $(FormField::$Text => Some(self.$limit),)* _ => None }
            }
        }
    };
}

form_fields!(upload_rules);

fn unlimited() -> u32 {
    u32::MAX
}

fn max_captions_bytes() -> usize {
    MAX_CAPTIONS_BYTES
}

fn max_pixels_per_second() -> u32 {
    MAX_PIXELS_PER_SECOND
}

fn max_captions_languages() -> u32 {
    MAX_SUBTITLE_TRACKS
}

#[cfg(feature = "openapi")]
impl LimitState {
    pub fn example() -> Self {
        Self {
            ui_limit_failure_translation_key: ErrorCode::ContentUploadLimitFailure.as_str().to_owned(),
            is_limit_activated: false,
            limit_reset_time_unix: None,
            limit_amount: 50,
        }
    }
}

#[cfg(feature = "openapi")]
impl UploadLimits {
    pub fn example() -> Self {
        Self {
            success: true,
            limit: LimitState::example(),
            remaining: 42,
            max_open_uploads: 10,
            open_uploads: 1,
            max_daily_changes: 200,
            remaining_changes: 197,
            changes_reset_time_unix: TOMORROW,
            max_requests: MAX_KEY_REQUESTS,
            request_period_seconds: KEY_REQUESTS_SECONDS,
            accepts: UploadRules::new(DEFAULT_MAX_FILE_BYTES, MIN_UPLOAD_BYTES_PER_SECOND, UPLOAD_PACE_SECONDS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCode;

    #[test]
    fn limits_that_an_older_service_does_not_send_are_the_usual_ones() {
        let rules = UploadRules::new(1, 1, 1);
        let mut sent = serde_json::to_value(&rules).unwrap();
        for (field, usual) in
            [("max_captions_bytes", 524_288), ("max_captions_languages", 8), ("max_pixels_per_second", 1_100_000_000)]
        {
            assert_eq!(sent.as_object_mut().unwrap().remove(field), Some(usual.into()));
        }
        assert_eq!(serde_json::from_value::<UploadRules>(sent).unwrap(), rules);
    }

    #[test]
    fn the_refusal_of_a_format_names_the_same_ones() {
        let rules = UploadRules::new(1, 1, 1);
        for extension in &rules.file_extensions {
            assert!(ErrorCode::ContentFileInvalidFormat.text().contains(extension.as_str()), "{extension}");
        }
    }
}
