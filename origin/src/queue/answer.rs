//! From the queue's JSON to deliveries. Pure, and tolerant: every field may be missing or of another type, and one odd
//! message does not spoil the others. A lease is only ever taken from the answer, never made up.

use super::LeaseId;
use super::body;
use contract::JobMessage;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The answer is not JSON, not the expected JSON, or says itself that it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unreadable(pub String);

/// What one pull brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    pub deliveries: Vec<Delivery>,
    /// How many messages the queue has altogether, where it says so.
    pub backlog: Option<u64>,
    /// Messages that came without a lease of their own. They can neither be acknowledged nor given back, so they are
    /// left to the queue, which delivers them again.
    pub without_lease: usize,
}

/// One delivery of a message. It ends by acknowledging its lease, giving it back, or letting it run out.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    pub lease: LeaseId,
    /// The message's id; a message that is delivered twice has it twice.
    pub message_id: String,
    /// The how manieth delivery of the message this is, from 1; 1 where the queue does not say.
    pub attempts: u32,
    /// When the message was sent, in Unix milliseconds.
    pub sent_at_ms: Option<u64>,
    pub job: Result<JobMessage, Malformed>,
}

/// A message that this program cannot read. It is to be given back until it is a dead letter, never acknowledged: nobody
/// has done what it asks for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Malformed {
    pub reason: String,
    /// The body as text, where it is text.
    pub text: Option<String>,
}

/// What became of acknowledgements and returns, as far as the queue says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    pub acknowledged: Option<u64>,
    pub returned: Option<u64>,
    pub warnings: Vec<String>,
}

/// Reads the answer to a pull.
pub(super) fn batch(bytes: &[u8]) -> Result<Batch, Unreadable> {
    let result = result(bytes)?;
    let messages = result.get("messages").and_then(Value::as_array);
    let messages = messages.map(Vec::as_slice).unwrap_or_default();
    let mut leases = HashSet::new();
    let deliveries: Vec<_> = messages
        .iter()
        .filter_map(delivery)
        .filter(|delivery| leases.insert(delivery.lease.clone()))
        .collect();
    Ok(Batch {
        backlog: result.get("message_backlog_count").and_then(whole),
        without_lease: messages.len() - deliveries.len(),
        deliveries,
    })
}

/// Reads the answer to acknowledgements and returns.
pub(super) fn settled(bytes: &[u8]) -> Result<Settled, Unreadable> {
    let result = result(bytes)?;
    Ok(Settled {
        acknowledged: result.get("ackCount").and_then(whole),
        returned: result.get("retryCount").and_then(whole),
        warnings: result.get("warnings").map(warnings).unwrap_or_default(),
    })
}

/// Reads the answer to a message that was sent.
pub(super) fn sent(bytes: &[u8]) -> Result<(), Unreadable> {
    result(bytes).map(drop)
}

/// What an answer that is a failure says of it.
pub(super) fn failure(bytes: &[u8]) -> String {
    let errors = serde_json::from_slice::<Value>(bytes)
        .ok()
        .and_then(|answer| answer.get("errors").map(warnings));
    match errors {
        Some(errors) if !errors.is_empty() => errors.join("; "),
        _ => "no reason given".to_owned(),
    }
}

/// The `result` of an answer that does not call itself a failure.
fn result(bytes: &[u8]) -> Result<Map<String, Value>, Unreadable> {
    let answer = serde_json::from_slice(bytes)
        .map_err(|error| Unreadable(format!("not JSON, or not all of it: {error}")))?;
    let Value::Object(mut answer) = answer else {
        return Err(Unreadable("not a JSON object".to_owned()));
    };
    if answer.get("success") == Some(&Value::Bool(false)) {
        return Err(Unreadable(format!("it failed: {}", failure(bytes))));
    }
    match answer.remove("result") {
        Some(Value::Object(result)) => Ok(result),
        // Nothing to tell: an empty queue, a message sent.
        None | Some(Value::Null) => Ok(Map::new()),
        Some(_) => Err(Unreadable("its result is not an object".to_owned())),
    }
}

/// A message that can be settled; none without a lease.
fn delivery(message: &Value) -> Option<Delivery> {
    let lease = message.get("lease_id")?.as_str()?;
    if lease.is_empty() {
        return None;
    }
    let attempts = message.get("attempts").and_then(whole).unwrap_or(1);
    let id = message.get("id").and_then(Value::as_str);
    Some(Delivery {
        lease: LeaseId(lease.to_owned()),
        message_id: id.unwrap_or_default().to_owned(),
        attempts: u32::try_from(attempts).unwrap_or(u32::MAX).max(1),
        sent_at_ms: message.get("timestamp_ms").and_then(whole),
        job: body::job(message),
    })
}

/// A whole number, also one that came as `1.0`.
fn whole(value: &Value) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked"
    )]
    let from_float =
        |number: f64| (number >= 0.0 && number < 2_f64.powi(53)).then_some(number as u64);
    value
        .as_u64()
        .or_else(|| value.as_f64().and_then(from_float))
}

/// A list, or a map from leases: either way, texts.
fn warnings(value: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match value {
        Value::Null => Vec::new(),
        Value::Array(list) => list.iter().map(text).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(lease, why)| format!("{lease}: {}", text(why)))
            .collect(),
        other => vec![text(other)],
    }
}

#[cfg(test)]
mod tests;
