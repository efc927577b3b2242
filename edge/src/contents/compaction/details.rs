//! The details of a finished content, as an object in R2: JSON with `file_sha256`, `upload_uuid`, the rows of `reports`
//! and `findings`, and `frames`, the frame hashes of the files that are shown. The hashes are included because the name
//! of their own object is derived from a report.

use super::key;
use crate::base::ids::ContentUuid;
use crate::platform::database::read_column;
use crate::platform::error::PlatformError;
use crate::platform::object_store::{ObjectStore, Segment};
use serde_json::{Map, Value};

/// Empty if there is no object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FinishedDetails(Map<String, Value>);

impl FinishedDetails {
    pub(super) fn parse(text: &str) -> Result<Self, PlatformError> {
        read_column(text).map(Self).map_err(PlatformError::from)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn file_sha256(&self) -> &str {
        self.text("file_sha256")
    }

    pub(super) fn upload_uuid(&self) -> &str {
        self.text("upload_uuid")
    }

    fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns `reports`, `findings` or `frames` as JSON.
    pub(crate) fn rows(&self, name: &str) -> String {
        self.0.get(name).map_or_else(|| "[]".to_owned(), Value::to_string)
    }

    pub(crate) fn findings(&self) -> &[Value] {
        self.array("findings")
    }

    /// Returns the findings about the video that was accepted, without those of earlier jobs.
    pub(crate) fn latest_findings(&self) -> Vec<&Value> {
        let generation = |row: &Value| row.get("generation").and_then(Value::as_u64);
        let processed = self.array("reports").iter().filter(|report| report.get("kind") == Some(&"processed".into()));
        let latest = processed.filter_map(generation).max();
        let mut findings: Vec<&Value> = self.findings().iter().filter(|row| generation(row) == latest).collect();
        findings.sort_by_key(|row| row.get("number").and_then(Value::as_u64));
        findings
    }

    fn array(&self, name: &str) -> &[Value] {
        self.0.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    pub(super) fn add_frames(&mut self, frames: Value) {
        self.0.insert("frames".to_owned(), frames);
    }

    fn into_text(self) -> String {
        Value::Object(self.0).to_string()
    }
}

/// Returns the details of a compacted content.
pub(crate) async fn read_details(
    objects: &impl ObjectStore,
    content_uuid: &ContentUuid,
    generation: u64,
) -> Result<FinishedDetails, PlatformError> {
    match objects.read_whole(&key(content_uuid, generation)).await? {
        Some(bytes) => FinishedDetails::parse(&String::from_utf8_lossy(&bytes)),
        None => Ok(FinishedDetails::default()),
    }
}

/// Stores the details. Storing them again replaces the object.
pub(super) async fn store_details(
    objects: &impl ObjectStore,
    key: &str,
    details: FinishedDetails,
) -> Result<(), PlatformError> {
    let text = details.into_text();
    let mut segment = objects.segment(text.len());
    segment.append(text.as_bytes());
    objects.put(key, &[segment]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_empty_if_their_object_is_lost() {
        assert!(FinishedDetails::default().is_empty());
        let details = FinishedDetails::parse(r#"{"file_sha256":"ab","reports":[1]}"#).unwrap();
        assert_eq!((details.is_empty(), details.file_sha256(), details.upload_uuid()), (false, "ab", ""));
        assert_eq!([details.rows("reports"), details.rows("frames")], ["[1]", "[]"]);
        assert_eq!(details.latest_findings(), Vec::<&Value>::new());
    }

    #[test]
    fn the_findings_of_earlier_jobs_and_of_completions_do_not_count() {
        let text = r#"{
            "reports": [{"generation":1,"kind":"processed"},{"generation":2,"kind":"processed"},
                {"generation":3,"kind":"completed"}],
            "findings": [{"generation":1,"number":0},{"generation":2,"number":1},{"generation":2,"number":0}]
        }"#;
        let details = FinishedDetails::parse(text).unwrap();
        let latest = details.latest_findings();
        let numbers: Vec<_> = latest.iter().map(|row| (row["generation"].as_u64(), row["number"].as_u64())).collect();
        assert_eq!(numbers, [(Some(2), Some(0)), (Some(2), Some(1))]);
    }
}
