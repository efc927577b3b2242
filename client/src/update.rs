//! The changes to a video's fields. Only fields to change are sent; null removes a value.

use contract::api::Metadata;
use serde::Serialize;

/// The changes to one video. `None` leaves a field as it is, and `Some(None)` removes its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ContentUpdate {
    pub content_uuid: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub super_category_id: Option<Option<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ai_summary_of_content: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled_publish_at_unix: Option<Option<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// `hh:mm:ss`.
    pub thumbnail_time: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Option<Metadata>>,
}

impl ContentUpdate {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self { content_uuid: self.content_uuid.clone(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::api::{Member, UpdateContent};

    fn read_by_service(update: &ContentUpdate) -> UpdateContent {
        serde_json::from_str(&serde_json::to_string(update).unwrap()).unwrap()
    }

    #[test]
    fn the_service_reads_what_is_meant() {
        let update = ContentUpdate {
            content_uuid: "c".into(),
            caption: Some(Some("new".into())),
            super_category_id: Some(None),
            thumbnail_time: Some(Some("00:00:03".into())),
            metadata: Some(Some([("a", "1")].into_iter().collect())),
            ..ContentUpdate::default()
        };
        let read = read_by_service(&update);
        assert_eq!(read.caption, Member::Value("new".to_owned()));
        assert_eq!(read.thumbnail_time, Member::Value("00:00:03".to_owned()));
        assert_eq!((read.super_category_id, read.external_id), (Member::Null, Member::Missing));
        assert!(read.metadata.is_sent() && !update.is_empty());
        let nothing = ContentUpdate { content_uuid: "c".into(), ..ContentUpdate::default() };
        assert!(nothing.is_empty());
        assert_eq!(read_by_service(&nothing).caption, Member::Missing);
    }
}
