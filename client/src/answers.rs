//! The service's responses as a client should read them: unknown members are kept, and states and codes are strings,
//! because a later version of the service may add some.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The response to an upload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UploadAnswer {
    pub content_uuid: String,
    pub slug_url: String,
    /// The video's current state, if an earlier attempt had already uploaded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_state: Option<String>,
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The status of a video.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub content_uuid: String,
    pub state: String,
    pub stage: Option<String>,
    pub progress_percent: u8,
    pub error_message_code: Option<String>,
    pub detail: Option<String>,
    pub created_at_unix: u64,
    pub scheduled_publish_at_unix: Option<u64>,
    /// Whether the video is published only after its owner has released it.
    #[serde(default)]
    pub needs_release: bool,
    pub duration_ms: u64,
    pub caption: Option<String>,
    pub urls: Option<PageUrls>,
    /// The seconds to wait before polling again. None if the status will not change by itself.
    pub check_after_seconds: Option<u32>,
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageUrls {
    pub page: String,
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatusPage {
    pub uploads: Vec<Status>,
    pub next_cursor: Option<String>,
}

/// A page of the event log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventsPage {
    pub events: Vec<LoggedEvent>,
    pub next_after: u64,
    pub has_more: bool,
}

/// An event with all of its members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedEvent {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub timestamp: String,
    pub sequence: u64,
    #[serde(default)]
    pub data: Map<String, Value>,
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Status {
    /// Whether the video is public, or will be once it is approved, its time has come and its owner has released it.
    pub fn is_good(&self) -> bool {
        matches!(self.state.as_str(), "processing" | "scheduled" | "published")
    }

    /// Whether polling ends here: the video is published, ended badly, or waits for something that takes long.
    pub fn is_settled(&self) -> bool {
        // Its larger renditions are made after its publication.
        let is_completed_later = self.state == "published" && self.rest.get("quality") == Some(&"first".into());
        self.check_after_seconds.is_none() || self.state == "scheduled" || is_completed_later
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::api::{
        CaptionsChange, ContentStatus, Event, EventData, Events, LimitState, PublicUrls, ThumbnailChange, UploadResult,
    };
    use contract::{ContentState, ErrorCode, Stage};
    use serde::de::DeserializeOwned;

    /// Asserts that a value survives a round trip through the client's type.
    fn is_read_whole<T: Serialize + DeserializeOwned>(written: &impl Serialize) {
        let json = serde_json::to_value(written).unwrap();
        let read: T = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), json);
    }

    fn status(state: ContentState) -> ContentStatus {
        ContentStatus {
            content_uuid: "c".into(),
            state,
            stage: Some(Stage::Transcode),
            progress_percent: 40,
            error_message_code: Some(ErrorCode::ContentProcessingFailed),
            created_at_unix: 5,
            duration_ms: 5_000,
            width: Some(1),
            caption: Some("é".into()),
            slug_url: "s".into(),
            thumbnail_change: Some(ThumbnailChange::Pending),
            captions: vec!["en".into()],
            captions_change: Some(CaptionsChange::Pending),
            urls: Some(PublicUrls {
                page: "p".into(),
                embed: "e".into(),
                video: "v".into(),
                hls: "h".into(),
                dash: Some("d".into()),
                poster: "o".into(),
                storyboard: None,
                storyboard_track: None,
                preview: None,
            }),
            check_after_seconds: Some(2),
            ..ContentStatus::default()
        }
    }

    #[test]
    fn what_the_service_writes_is_read_whole() {
        for state in ContentState::ALL {
            is_read_whole::<Status>(&status(*state));
        }
        let limit = LimitState {
            ui_limit_failure_translation_key: "k".into(),
            is_limit_activated: false,
            limit_reset_time_unix: None,
            limit_amount: 50,
        };
        is_read_whole::<UploadAnswer>(&UploadResult {
            success: true,
            id: 1,
            content_id: 2,
            content_uuid: "c".into(),
            media_name: "m".into(),
            message_code: "ok".into(),
            scheduled_publish_at_unix: None,
            limit,
            slug_url: "s".into(),
            content_state: Some(ContentState::Published),
            is_test: true,
        });
        let data = EventData { content_uuid: Some("c".into()), ..EventData::default() };
        let event = Event {
            id: "evt".into(),
            kind: "content.published".into(),
            timestamp: "2026-01-01T00:00:00Z".into(),
            happened_at_unix: 1,
            sequence: 7,
            content_sequence: Some(1),
            data,
        };
        is_read_whole::<LoggedEvent>(&event);
        let page = serde_json::to_value(Events { success: true, events: vec![event], next_after: 7, has_more: true });
        assert_eq!(serde_json::from_value::<EventsPage>(page.unwrap()).unwrap().next_after, 7);
    }

    #[test]
    fn a_state_of_a_later_version_is_read() {
        let mut json = serde_json::to_value(status(ContentState::Processing)).unwrap();
        json["state"] = "archived".into();
        json["stage"] = "polish".into();
        json["check_after_seconds"] = Value::Null;
        let status: Status = serde_json::from_value(json).unwrap();
        assert!(!status.is_good() && status.is_settled());
    }
}
