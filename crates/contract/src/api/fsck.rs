//! The comparison of the database with the removal log and the objects.

#[cfg(feature = "openapi")]
use crate::example::CONTENT_UUID;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct RunFsck {
    /// Whether to repair everything that can be repaired safely. Otherwise nothing is changed.
    pub mend: bool,
    /// Whether to also delete the objects that the database does not know, such as those of videos that were uploaded
    /// after the backup. Needs `mend`. They cannot be recovered.
    #[serde(default)]
    pub delete_unknown: bool,
    /// The `next_cursor` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct FsckPage {
    pub success: bool,
    pub differences: Vec<Difference>,
    /// The cursor of the next page. Null on the last one.
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Difference {
    /// The kind of thing that differs, such as `content`, `key`, `hash`, `source`, `media` or `object`.
    pub kind: String,
    /// A UUID, a hash, the number of an account, or the name of an object.
    pub subject: String,
    pub detail: String,
    /// Whether this call has repaired it.
    pub is_mended: bool,
}

#[cfg(feature = "openapi")]
impl RunFsck {
    pub fn example() -> Self {
        Self { mend: true, ..Self::default() }
    }
}

#[cfg(feature = "openapi")]
impl FsckPage {
    pub fn example() -> Self {
        let found = Difference {
            kind: "content".to_owned(),
            subject: CONTENT_UUID.to_owned(),
            detail: "deleted, but the database says published".to_owned(),
            is_mended: true,
        };
        Self { success: true, differences: vec![found], next_cursor: Some("segments:".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::RunFsck;

    #[test]
    fn a_request_says_whether_to_mend() {
        assert!(serde_json::from_str::<RunFsck>("{}").is_err());
        assert!(serde_json::from_str::<RunFsck>(r#"{"mend":false,"cursor":null}"#).is_ok());
    }
}
