//! The status of a content, for its owner.

use super::{Appeal, Metadata};
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, MEDIA_NAME, NOW, SITE, SLUG_URL};
use crate::job::Quality;
use crate::state::{ContentState, Stage};
use crate::subtitles::DroppedSubtitles;
use crate::{ErrorCode, Label, Visibility, with_texts};
#[cfg(feature = "openapi")]
use crate::{FormField, Texts as _, paths};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct UploadStatus {
    pub success: bool,
    #[serde(flatten)]
    pub content: ContentStatus,
}

with_texts! {
    (#[cfg_attr(feature = "openapi", schema(required))] Option<String>)
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
    pub struct ContentStatus {
        pub content_id: u64,
        #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
        pub content_uuid: String,
        pub state: ContentState,
        /// The current stage while the video is being processed; null otherwise.
        #[cfg_attr(feature = "openapi", schema(required))]
        pub stage: Option<Stage>,
        /// The percentage of processing that is complete, up to 20 seconds old. 100 while the video is waiting for a
        /// moderator.
        #[cfg_attr(feature = "openapi", schema(maximum = 100))]
        pub progress_percent: u8,
        /// An estimate of the seconds until processing ends, from the video's place in the queue and the pace of recent
        /// videos. Null if the video is not being processed, if there is nothing to estimate from, in lists, and in
        /// responses to changes.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub eta_seconds: Option<u32>,
        /// The reason why the video was rejected or failed; null otherwise.
        #[cfg_attr(feature = "openapi", schema(required))]
        pub error_message_code: Option<ErrorCode>,
        /// Details of the error, or what the video is waiting for.
        #[cfg_attr(feature = "openapi", schema(required))]
        pub detail: Option<String>,
        /// The code of the rule that the video broke, if it was rejected or taken down for that; `detail` is the rule's
        /// text.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub policy_code: Option<String>,
        /// Your appeal against the rejection or removal; null if you have made none.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub appeal: Option<Appeal>,
        /// The deadline for an appeal; null if you cannot appeal.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub can_appeal_until_unix: Option<u64>,
        pub created_at_unix: u64,
        /// The time at which processing ended, successfully or not.
        #[cfg_attr(feature = "openapi", schema(required))]
        pub finished_at_unix: Option<u64>,
        #[cfg_attr(feature = "openapi", schema(required))]
        pub scheduled_publish_at_unix: Option<u64>,
        /// Whether the video is published only after you release it with `release_content`, even if its publication
        /// time has come. False once it is released, and in all states except `processing` and `scheduled`.
        #[serde(default)]
        pub needs_release: bool,
        #[cfg_attr(feature = "openapi", schema(required))]
        pub published_at_unix: Option<u64>,
        /// `first` while only the smaller renditions can be watched, `full` once all can. Null until the video has been
        /// processed.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub quality: Option<Quality>,
        pub duration_ms: u64,
        #[cfg_attr(feature = "openapi", schema(required))]
        pub width: Option<u32>,
        #[cfg_attr(feature = "openapi", schema(required))]
        pub height: Option<u32>,
        #[cfg_attr(feature = "openapi", schema(required))]
        pub super_category_id: Option<u64>,
        /// The people who can find the video once it is published.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub visibility: Visibility,
        /// Whether viewers see a warning before the video.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub is_sensitive: bool,
        /// Whether the page says that the video was made with AI.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub is_ai_generated: bool,
        /// Whether this is a test video, which is never public and is deleted after 24 hours.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub is_test: bool,
        /// The labels that a moderator set. You cannot remove them.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub moderator_labels: Vec<Label>,
        /// Your own data about the video; an empty object if you have not sent any.
        pub metadata: Metadata,
        pub media_name: String,
        pub slug_url: String,
        /// A ThumbHash in base64: a blurred placeholder to show until the thumbnails have loaded.
        #[cfg_attr(feature = "openapi", schema(required))]
        pub thumbhash: Option<String>,
        /// Thumbnails of the video. Until it is public, only its owner can fetch them.
        pub thumbnails: Vec<Thumbnail>,
        /// The state of the last change of the thumbnail, by `thumbnail_time` in `update_content` or by
        /// `update_thumbnail`. Null if the thumbnails show it, or if there was no change.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub thumbnail_change: Option<ThumbnailChange>,
        /// The reason why the last change of the thumbnail failed; null otherwise. `content_thumbnail_invalid`: the
        /// picture cannot be decoded. `content_moderation_rejected`: moderation rejected it.
        /// `content_processing_failed`: try again.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub thumbnail_error_message_code: Option<ErrorCode>,
        /// The languages of the captions that you sent, including captions that viewers do not see yet.
        #[serde(default)]
        pub captions: Vec<String>,
        /// The state of the last change by `update_captions` or `delete_captions`. Null if viewers see its result, or
        /// if there was no change.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub captions_change: Option<CaptionsChange>,
        /// The reason why the last change of the captions failed; null otherwise. `content_captions_invalid`: the
        /// captions have no text within the video. `content_moderation_rejected`: moderation rejected them.
        /// `content_processing_failed`: try again.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub captions_error_message_code: Option<ErrorCode>,
        /// The subtitle tracks that viewers can choose: your captions, and the uploaded file's tracks in other
        /// languages, converted to WebVTT. Empty while the video is being processed.
        #[serde(default)]
        pub subtitles: Vec<Subtitles>,
        /// The subtitle tracks of the uploaded file that cannot be shown.
        #[serde(default)]
        pub dropped_subtitles: Vec<DroppedSubtitles>,
        /// The public URLs; null unless the video is public.
        #[cfg_attr(feature = "openapi", schema(required))]
        pub urls: Option<PublicUrls>,
        /// The seconds to wait before the next request. Null if the status will not change by itself.
        #[cfg_attr(feature = "openapi", schema(required))]
        pub check_after_seconds: Option<u32>,
    }
}

/// A change of the thumbnail that is not visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ThumbnailChange {
    /// It will be made as soon as the video is approved, usually within a minute.
    Pending,
    /// The new thumbnail could not be made or was refused. The old one stays.
    Failed,
}

/// A change of the captions that is not visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum CaptionsChange {
    /// It will be made as soon as the video is approved, usually within a minute.
    Pending,
    /// The change could not be made or was refused. The captions before it stay.
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Thumbnail {
    pub width: u32,
    pub url: String,
}

/// A subtitle track that viewers can choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Subtitles {
    /// A language tag such as `en` or `pt-BR` (BCP 47); null if the file does not specify it.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub language: Option<String>,
    /// The name of the track in the player's menu.
    pub label: String,
    /// Whether the player shows the track unless the viewer chooses otherwise.
    pub is_default: bool,
    /// Whether the track translates only passages that viewers of the video's own language would not understand.
    pub is_forced: bool,
    /// Whether the track also describes sounds.
    pub is_for_hearing_impaired: bool,
    /// The WebVTT file; null unless the video is public.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub url: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PublicUrls {
    pub page: String,
    /// The player, to embed on another site.
    pub embed: String,
    pub video: String,
    pub hls: String,
    /// The DASH manifest; null for a video that was processed before DASH was supported.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub dash: Option<String>,
    pub poster: String,
    /// One picture with many small frames, for scrubbing; null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub storyboard: Option<String>,
    /// The WebVTT track that maps times to parts of the storyboard; null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub storyboard_track: Option<String>,
    /// A short animated preview; null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub preview: Option<String>,
}

/// The videos of a channel, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct Uploads {
    pub success: bool,
    pub uploads: Vec<ContentStatus>,
    /// Send it as `cursor` to get the next page; null on the last page.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

#[cfg(feature = "openapi")]
impl UploadStatus {
    pub fn example() -> Self {
        Self { success: true, content: ContentStatus::example() }
    }

    pub fn example_with_pending_thumbnail() -> Self {
        let thumbnail_change = Some(ThumbnailChange::Pending);
        Self { success: true, content: ContentStatus { thumbnail_change, ..ContentStatus::example() } }
    }

    pub fn example_with_pending_captions() -> Self {
        let captions_change = Some(CaptionsChange::Pending);
        Self { success: true, content: ContentStatus { captions_change, ..ContentStatus::example() } }
    }
}

#[cfg(feature = "openapi")]
impl Uploads {
    pub fn example() -> Self {
        Self { success: true, uploads: vec![ContentStatus::example()], next_cursor: None }
    }
}

#[cfg(feature = "openapi")]
impl ContentStatus {
    pub fn example() -> Self {
        let url = |path: &str| format!("{SITE}{}{MEDIA_NAME}{path}", paths::MEDIA);
        let mut status = Self {
            content_id: 7,
            content_uuid: CONTENT_UUID.to_owned(),
            state: ContentState::Published,
            progress_percent: 100,
            created_at_unix: NOW,
            finished_at_unix: Some(NOW + 20),
            published_at_unix: Some(NOW + 20),
            quality: Some(Quality::Full),
            duration_ms: 5_000,
            width: Some(1280),
            height: Some(720),
            super_category_id: Some(3),
            metadata: [("campaign", "spring")].into_iter().collect(),
            media_name: format!("{MEDIA_NAME}.mp4"),
            slug_url: SLUG_URL.to_owned(),
            thumbhash: Some("1QcSHQRnh493V4dIh4eXh1h4kJUI".to_owned()),
            captions: vec!["en".to_owned()],
            thumbnails: vec![Thumbnail { width: 320, url: url("/thumbnail-320.jpg") }],
            subtitles: vec![Subtitles::example()],
            dropped_subtitles: vec![DroppedSubtitles::example()],
            urls: Some(PublicUrls::example()),
            ..Self::default()
        };
        for field in FormField::ALL {
            let text = status.text_mut(*field).into_iter();
            text.for_each(|text| *text = field.example().map(str::to_owned));
        }
        status
    }
}

#[cfg(feature = "openapi")]
impl Subtitles {
    pub fn example() -> Self {
        Self {
            language: Some("en".to_owned()),
            label: "English".to_owned(),
            is_default: true,
            is_forced: false,
            is_for_hearing_impaired: false,
            url: Some(format!("{SITE}{}{MEDIA_NAME}/hls/subtitles-1.vtt", paths::MEDIA)),
        }
    }
}

#[cfg(feature = "openapi")]
impl PublicUrls {
    pub fn example() -> Self {
        let url = |path: &str| format!("{SITE}{}{MEDIA_NAME}{path}", paths::MEDIA);
        Self {
            page: format!("{SITE}{}{SLUG_URL}", paths::PAGE),
            embed: format!("{SITE}{}{SLUG_URL}", paths::EMBED),
            video: url(".mp4"),
            hls: url("/hls/master.m3u8"),
            dash: Some(url("/manifest.mpd")),
            poster: url("/poster.jpg"),
            storyboard: Some(url("/storyboard.jpg")),
            storyboard_track: Some(url("/storyboard.vtt")),
            preview: Some(url("/preview.webp")),
        }
    }
}
