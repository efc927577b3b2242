//! The event log of a channel. Webhooks send the same events.

use super::PauseReason;
#[cfg(feature = "openapi")]
use crate::ErrorCode;
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, DIRECT_UPLOAD_ID, NOW, SLUG_URL, TOMORROW, WEBHOOK_UUID};
use crate::job::Quality;
use serde::{Deserialize, Serialize};

/// The type of an event.
// The Worker passes the database's names on unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum EventType {
    /// The video is public.
    #[serde(rename = "content.published")]
    ContentPublished,
    /// The video was published in its first quality and is now available in all others.
    #[serde(rename = "content.completed")]
    ContentCompleted,
    /// The video is approved and will be published at its scheduled time, or once you release it.
    #[serde(rename = "content.scheduled")]
    ContentScheduled,
    /// The video was rejected by a rule or by moderation.
    #[serde(rename = "content.rejected")]
    ContentRejected,
    /// Processing of the video failed.
    #[serde(rename = "content.failed")]
    ContentFailed,
    /// A moderator removed the video.
    #[serde(rename = "content.taken_down")]
    ContentTakenDown,
    /// A moderator reversed the rejection or removal of the video. If it is public again, `published_at_unix` is set;
    /// otherwise, it will be published at its scheduled time, or once you release it.
    #[serde(rename = "content.restored")]
    ContentRestored,
    /// A moderator rejected your appeal. The video stays rejected or removed.
    #[serde(rename = "content.appeal_rejected")]
    ContentAppealRejected,
    /// The video was deleted.
    #[serde(rename = "content.deleted")]
    ContentDeleted,
    /// The video is waiting for a moderator, or for a moderation check that could not run.
    #[serde(rename = "content.waiting")]
    ContentWaiting,
    /// A video was uploaded with a one-time token.
    #[serde(rename = "direct_upload.used")]
    DirectUploadUsed,
    /// A one-time token has expired without an upload.
    #[serde(rename = "direct_upload.expired")]
    DirectUploadExpired,
    /// The API key was replaced.
    #[serde(rename = "key.rotated")]
    KeyRotated,
    /// The API key was deleted.
    #[serde(rename = "key.deleted")]
    KeyDeleted,
    /// An upload used up the daily limit. Logged at most once a day.
    #[serde(rename = "limit.reached")]
    LimitReached,
    /// The service has stopped sending events to a webhook that does not accept them.
    #[serde(rename = "webhook.paused")]
    WebhookPaused,
    /// A test of a webhook. It is not in the log.
    #[serde(rename = "webhook.test")]
    WebhookTest,
}

impl EventType {
    pub const ALL: [Self; 17] = [
        Self::ContentPublished,
        Self::ContentCompleted,
        Self::ContentScheduled,
        Self::ContentRejected,
        Self::ContentFailed,
        Self::ContentTakenDown,
        Self::ContentRestored,
        Self::ContentAppealRejected,
        Self::ContentDeleted,
        Self::ContentWaiting,
        Self::DirectUploadUsed,
        Self::DirectUploadExpired,
        Self::KeyRotated,
        Self::KeyDeleted,
        Self::LimitReached,
        Self::WebhookPaused,
        Self::WebhookTest,
    ];
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Event {
    /// The unique id of the event. It stays the same if you receive the event twice.
    pub id: String,
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = EventType))]
    pub kind: String,
    /// The time of the event, in UTC.
    #[cfg_attr(feature = "openapi", schema(format = "date-time"))]
    pub timestamp: String,
    pub happened_at_unix: u64,
    /// The sequence number of the event in your channel, starting at 1 without gaps.
    pub sequence: u64,
    /// The sequence number of the event among those of its video, starting at 1 without gaps. Only events of videos
    /// have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub content_sequence: Option<u64>,
    pub data: EventData,
}

/// The details of an event at the time when it happened. Members that do not apply are omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EventData {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub content_id: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = "uuid"))]
    pub content_uuid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub slug_url: Option<String>,
    /// Your own id for the video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub external_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub scheduled_publish_at_unix: Option<u64>,
    /// True if the video is published only after you release it with `release_content`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub needs_release: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub published_at_unix: Option<u64>,
    /// For a published video: `first` if its larger renditions are still being made, in which case `content.completed`
    /// follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub quality: Option<Quality>,
    /// The reason why the video was rejected, failed or was taken down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<ErrorCode>))]
    pub error_message_code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub detail: Option<String>,
    /// The code of the rule that the video broke, if it was rejected or taken down for that; `detail` is the rule's
    /// text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub policy_code: Option<String>,
    /// `person` if the video is waiting for a moderator, `check` if it is waiting for a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub waits_for: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = "uuid"))]
    pub direct_upload_id: Option<String>,
    /// The hint of the new key, or of the deleted one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub key_hint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub limit_amount: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub limit_reset_time_unix: Option<u64>,
    /// True if the video is a test video; otherwise false or omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub is_test: Option<bool>,
    /// The webhook that was paused or is being tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = "uuid"))]
    pub webhook_uuid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub pause_reason: Option<PauseReason>,
}

/// A page of the event log, in the order in which the events happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct Events {
    pub success: bool,
    pub events: Vec<Event>,
    /// The value to send as `after` in the next request, now or later.
    pub next_after: u64,
    /// Whether more events are available now.
    pub has_more: bool,
}

#[cfg(feature = "openapi")]
impl Event {
    pub fn example() -> Self {
        Self {
            id: "evt_0b9c2b62a1f24f6f8e5ab1d2c3f40516".to_owned(),
            kind: "content.published".to_owned(),
            timestamp: "2026-11-20T20:39:05Z".to_owned(),
            happened_at_unix: NOW + 20,
            sequence: 12,
            content_sequence: Some(1),
            data: EventData {
                content_id: Some(7),
                content_uuid: Some(CONTENT_UUID.to_owned()),
                slug_url: Some(SLUG_URL.to_owned()),
                external_id: Some("order-7".to_owned()),
                published_at_unix: Some(NOW + 20),
                quality: Some(Quality::First),
                ..EventData::default()
            },
        }
    }
}

#[cfg(feature = "openapi")]
impl EventData {
    /// Returns all members that an event can have.
    pub fn example() -> Self {
        Self {
            scheduled_publish_at_unix: Some(TOMORROW),
            needs_release: Some(true),
            error_message_code: Some(ErrorCode::ContentModerationRejected.as_str().to_owned()),
            detail: Some(ErrorCode::ContentModerationRejected.text().to_owned()),
            policy_code: Some("violence".to_owned()),
            waits_for: Some("person".to_owned()),
            direct_upload_id: Some(DIRECT_UPLOAD_ID.to_owned()),
            key_hint: Some("cgk_AbCd…wXyZ".to_owned()),
            limit_amount: Some(50),
            limit_reset_time_unix: Some(TOMORROW),
            is_test: Some(false),
            webhook_uuid: Some(WEBHOOK_UUID.to_owned()),
            pause_reason: Some(PauseReason::Failing),
            ..Event::example().data
        }
    }
}

#[cfg(feature = "openapi")]
impl Events {
    pub fn example() -> Self {
        Self { success: true, events: vec![Event::example()], next_after: 12, has_more: false }
    }
}
