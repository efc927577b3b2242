//! Parses the queue's answers. Pure and tolerant: any field may be missing or have the wrong type, and one invalid
//! message does not affect the others.
//!
//! A lease is only ever taken from the answer, never made up.

use super::LeaseId;
use super::body::{self, InvalidMessage};
use contract::JobMessage;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The answer is not JSON, has an unexpected structure, or reports a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnreadableAnswer(pub String);

/// The result of one pull.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageBatch {
    pub messages: Vec<QueueMessage>,
    /// The number of messages in the queue, if the queue reports it.
    pub backlog: Option<u64>,
    /// The number of messages without their own lease. They cannot be settled, so the queue hands them out again.
    pub without_lease: usize,
}

/// A message in one delivery attempt. The attempt ends when its lease is acknowledged, returned, or expires.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueMessage {
    pub lease: LeaseId,
    /// The message's id. It stays the same in every delivery attempt.
    pub message_id: String,
    /// The 1-based delivery attempt; 1 if the queue does not report it.
    pub delivery_attempt: u32,
    /// The time at which the message was sent, in Unix milliseconds.
    pub sent_at_ms: Option<u64>,
    pub job: Result<JobMessage, InvalidMessage>,
}

/// The queue's counts of settled messages, where it reports them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettleSummary {
    pub acknowledged: Option<u64>,
    pub returned: Option<u64>,
    pub warnings: Vec<String>,
}

/// Parses the answer to a pull.
pub(super) fn parse_batch(bytes: &[u8]) -> Result<MessageBatch, UnreadableAnswer> {
    let result = parse_result(bytes)?;
    let entries = result.get("messages").and_then(Value::as_array);
    let entries = entries.map(Vec::as_slice).unwrap_or_default();
    let mut leases = HashSet::new();
    let messages: Vec<_> =
        entries.iter().filter_map(parse_message).filter(|message| leases.insert(message.lease.clone())).collect();
    Ok(MessageBatch {
        backlog: result.get("message_backlog_count").and_then(whole_number),
        without_lease: entries.len() - messages.len(),
        messages,
    })
}

/// Parses the answer to a request for the queue's metrics.
pub(super) fn parse_backlog(bytes: &[u8]) -> Result<Option<u64>, UnreadableAnswer> {
    Ok(parse_result(bytes)?.get("backlog_count").and_then(whole_number))
}

/// Parses the answer to a settle request.
pub(super) fn parse_settle_summary(bytes: &[u8]) -> Result<SettleSummary, UnreadableAnswer> {
    let result = parse_result(bytes)?;
    Ok(SettleSummary {
        acknowledged: result.get("ackCount").and_then(whole_number),
        returned: result.get("retryCount").and_then(whole_number),
        warnings: result.get("warnings").map(texts).unwrap_or_default(),
    })
}

/// Checks the answer to a sent message.
pub(super) fn check_sent(bytes: &[u8]) -> Result<(), UnreadableAnswer> {
    parse_result(bytes).map(drop)
}

/// Returns the error messages in an answer that reports a failure.
pub(super) fn error_text(bytes: &[u8]) -> String {
    let errors = serde_json::from_slice::<Value>(bytes).ok().and_then(|answer| answer.get("errors").map(texts));
    match errors {
        Some(errors) if !errors.is_empty() => errors.join("; "),
        _ => "no reason given".to_owned(),
    }
}

/// Returns the `result` of an answer that does not report a failure.
fn parse_result(bytes: &[u8]) -> Result<Map<String, Value>, UnreadableAnswer> {
    let answer =
        serde_json::from_slice(bytes).map_err(|error| UnreadableAnswer(format!("not complete JSON: {error}")))?;
    let Value::Object(mut answer) = answer else {
        return Err(UnreadableAnswer("not a JSON object".to_owned()));
    };
    if answer.get("success") == Some(&Value::Bool(false)) {
        return Err(UnreadableAnswer(format!("it reports a failure: {}", error_text(bytes))));
    }
    match answer.remove("result") {
        Some(Value::Object(result)) => Ok(result),
        // The answer has no result if the queue is empty or if a message was sent.
        None | Some(Value::Null) => Ok(Map::new()),
        Some(_) => Err(UnreadableAnswer("its result is not an object".to_owned())),
    }
}

/// Returns the message, or `None` if it has no lease and so cannot be settled.
fn parse_message(message: &Value) -> Option<QueueMessage> {
    let lease = message.get("lease_id")?.as_str()?;
    if lease.is_empty() {
        return None;
    }
    let attempts = message.get("attempts").and_then(whole_number).unwrap_or(1);
    let id = message.get("id").and_then(Value::as_str);
    Some(QueueMessage {
        lease: LeaseId(lease.to_owned()),
        message_id: id.unwrap_or_default().to_owned(),
        delivery_attempt: u32::try_from(attempts).unwrap_or(u32::MAX).max(1),
        sent_at_ms: message.get("timestamp_ms").and_then(whole_number),
        job: body::parse_job(message),
    })
}

/// Returns a whole number, which JSON may write as `1.0`.
fn whole_number(value: &Value) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    let from_float = |number: f64| (number >= 0.0 && number < 2_f64.powi(53)).then_some(number as u64);
    value.as_u64().or_else(|| value.as_f64().and_then(from_float))
}

/// Returns the strings in a list, in a map from lease to string, or in a single value.
fn texts(value: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match value {
        Value::Null => Vec::new(),
        Value::Array(list) => list.iter().map(text).collect(),
        Value::Object(map) => map.iter().map(|(lease, reason)| format!("{lease}: {}", text(reason))).collect(),
        other => vec![text(other)],
    }
}

#[cfg(test)]
mod tests;
