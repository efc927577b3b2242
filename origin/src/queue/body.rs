//! From a message's body to the job it names. Text comes as it is, JSON and bytes in base64.

use super::answer::Malformed;
use super::error::shortened;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::{JOB_VERSION, JobMessage};
use serde_json::Value;

/// Cloudflare's names for how a body is packed.
const CONTENT_TYPE: &str = "CF-Content-Type";

/// The job that a message names.
pub(super) fn job(message: &Value) -> Result<JobMessage, Malformed> {
    let text = text(message).map_err(|reason| Malformed { reason, text: None })?;
    named(&text).map_err(|reason| Malformed {
        reason: shortened(&reason),
        text: Some(text),
    })
}

/// The body as text.
fn text(message: &Value) -> Result<String, String> {
    let body = message.get("body").and_then(Value::as_str);
    let body = body.ok_or("the message has no body that is text")?;
    match content_type(message).as_deref() {
        Some("text") => Ok(body.to_owned()),
        Some("json" | "bytes") => unpacked(body),
        // Not told, or told in a way that is not known: a job shows that it is one.
        _ if named(body).is_ok() => Ok(body.to_owned()),
        _ => Ok(unpacked(body).unwrap_or_else(|_| body.to_owned())),
    }
}

fn content_type(message: &Value) -> Option<String> {
    let metadata = message.get("metadata")?.as_object()?;
    let named = |(name, _): &(&String, &Value)| name.eq_ignore_ascii_case(CONTENT_TYPE);
    let (_, value) = metadata.iter().find(named)?;
    Some(value.as_str()?.to_ascii_lowercase())
}

fn unpacked(body: &str) -> Result<String, String> {
    let bytes = STANDARD
        .decode(body)
        .map_err(|error| format!("the body is not base64: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "the body is not text".to_owned())
}

/// The version comes first: a message of another one may lack every field of this one.
fn named(text: &str) -> Result<JobMessage, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("the body is not JSON: {error}"))?;
    match value.get("version").and_then(Value::as_u64) {
        Some(version) if version == u64::from(JOB_VERSION) => {}
        Some(version) => return Err(format!("version {version} is not known here")),
        None => return Err("the body has no version".to_owned()),
    }
    serde_json::from_value(value).map_err(|error| format!("the body is not a job: {error}"))
}
