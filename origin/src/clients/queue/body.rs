//! Parses a message body into the job it names. Bodies of type `text` arrive as they are, `json` and `bytes` in base64.

use super::reason::truncate;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::{JOB_VERSION, JobMessage};
use serde_json::Value;

/// The metadata field in which Cloudflare states the encoding of the body.
const CONTENT_TYPE: &str = "CF-Content-Type";

/// The reason why a message names no job that this version can read. It must be returned until it is a dead letter and
/// never acknowledged, because its job is not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct InvalidMessage {
    pub reason: String,
    /// The body, if it is text.
    pub text: Option<String>,
}

pub(super) fn parse_job(message: &Value) -> Result<JobMessage, InvalidMessage> {
    let text = body_text(message).map_err(|reason| InvalidMessage { reason, text: None })?;
    job_from_text(&text).map_err(|reason| InvalidMessage { reason: truncate(&reason), text: Some(text) })
}

fn body_text(message: &Value) -> Result<String, String> {
    let body = message.get("body").and_then(Value::as_str);
    let body = body.ok_or("the message has no text body")?;
    match content_type(message).as_deref() {
        Some("text") => Ok(body.to_owned()),
        Some("json" | "bytes") => decode_base64(body),
        // The content type is missing or unknown: try plain text first, then base64.
        _ if job_from_text(body).is_ok() => Ok(body.to_owned()),
        _ => Ok(decode_base64(body).unwrap_or_else(|_| body.to_owned())),
    }
}

fn content_type(message: &Value) -> Option<String> {
    let metadata = message.get("metadata")?.as_object()?;
    let is_content_type = |(name, _): &(&String, &Value)| name.eq_ignore_ascii_case(CONTENT_TYPE);
    let (_, value) = metadata.iter().find(is_content_type)?;
    Some(value.as_str()?.to_ascii_lowercase())
}

fn decode_base64(body: &str) -> Result<String, String> {
    let bytes = STANDARD.decode(body).map_err(|error| format!("the body is not base64: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "the body is not UTF-8".to_owned())
}

/// Checks the version before the fields: a message of another version may lack all of them.
fn job_from_text(text: &str) -> Result<JobMessage, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("the body is not JSON: {error}"))?;
    match value.get("version").and_then(Value::as_u64) {
        Some(version) if version == u64::from(JOB_VERSION) => {}
        Some(version) => return Err(format!("job version {version} is not supported")),
        None => return Err("the body has no version".to_owned()),
    }
    serde_json::from_value(value).map_err(|error| format!("the body is not a job: {error}"))
}
