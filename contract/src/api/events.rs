//! The event log of a channel. Webhooks send the same events.

use super::PauseReason;
#[cfg(feature = "openapi")]
use crate::ErrorCode;
use serde::{Deserialize, Serialize};

/// The type of an event.
// The Worker passes the database's names on unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum EventType {
    /// The video is public.
    #[serde(rename = "content.published")]
    ContentPublished,
    /// The video is approved and will be published at its time.
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
    /// The video was deleted.
    #[serde(rename = "content.deleted")]
    ContentDeleted,
    /// The video waits for a moderator, or for a moderation check that could not run.
    #[serde(rename = "content.waiting")]
    ContentWaiting,
    /// The API key was replaced.
    #[serde(rename = "key.rotated")]
    KeyRotated,
    /// The API key was deleted.
    #[serde(rename = "key.deleted")]
    KeyDeleted,
    /// An upload used the last slot of the day. Logged at most once a day.
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
    pub const ALL: [Self; 12] = [
        Self::ContentPublished,
        Self::ContentScheduled,
        Self::ContentRejected,
        Self::ContentFailed,
        Self::ContentTakenDown,
        Self::ContentDeleted,
        Self::ContentWaiting,
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
    /// The number of the event among those of your channel, from 1 without gaps.
    pub sequence: u64,
    /// The number of the event among those of the video, from 1 without gaps. Only events of videos have one.
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
    /// Your own id of the video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub external_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub scheduled_publish_at_unix: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub published_at_unix: Option<u64>,
    /// The reason why the video was rejected, failed or was taken down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<ErrorCode>))]
    pub error_message_code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub detail: Option<String>,
    /// `person` or `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub waits_for: Option<String>,
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
    /// The webhook that was paused, or is tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = "uuid"))]
    pub webhook_uuid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub pause_reason: Option<PauseReason>,
}

/// A page of the event log, in the order in which the events happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Events {
    pub success: bool,
    pub events: Vec<Event>,
    /// The value to send as `after` in the next request, now or later.
    pub next_after: u64,
    /// Whether more events exist already.
    pub has_more: bool,
}
