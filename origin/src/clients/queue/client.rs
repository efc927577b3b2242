//! Cloudflare's queue endpoints over HTTP: pull, settle and send. Request times and answer sizes are limited.
//!
//! It decides nothing: how to handle a message or an error is the caller's business.

use super::answer::{self, MessageBatch, SettleSummary};
use super::{LeaseId, QueueError};
use crate::clients::http;
use contract::parse_retry_after;
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, RequestBuilder, Response};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use std::time::Duration;

/// Cloudflare's limit; larger requests are rejected.
const MAX_BATCH: usize = 100;
/// Cloudflare's limit for visibility timeouts and delays; larger requests are rejected.
const MAX_DELAY: Duration = Duration::from_hours(12);
/// Cloudflare uses short polling: an empty queue answers immediately.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Large enough for a hundred messages of 128 kB in base64, with room for JSON escapes.
const MAX_ANSWER_BYTES: usize = 32 << 20;

/// Identifies a queue and the API that serves it.
#[derive(Clone, Debug)]
pub struct QueueAddress {
    /// `https://api.cloudflare.com/client/v4`, or the URL of the queue bridge.
    pub base: String,
    pub account: String,
    pub queue: String,
}

#[derive(Clone, Debug)]
pub struct QueueClient {
    client: Client,
    queue_url: String,
    token: SecretString,
}

impl QueueClient {
    pub fn new(address: &QueueAddress, token: SecretString) -> Result<Self, QueueError> {
        Self::with_timeout(address, token, TIMEOUT)
    }

    /// Creates a client whose requests time out after `timeout` instead of the default.
    pub fn with_timeout(address: &QueueAddress, token: SecretString, timeout: Duration) -> Result<Self, QueueError> {
        let client = http::client_builder(timeout).build();
        let QueueAddress { base, account, queue } = address;
        let base = base.trim_end_matches('/');
        Ok(Self {
            client: client.map_err(QueueError::from_transport)?,
            queue_url: format!("{base}/accounts/{account}/queues/{queue}"),
            token,
        })
    }

    /// Pulls up to `max_messages`. The queue hides each from other origins for `visibility`, and hands it out again if
    /// it is not settled by then.
    pub async fn pull(&self, max_messages: usize, visibility: Duration) -> Result<MessageBatch, QueueError> {
        let visibility_ms = u64::try_from(visibility.min(MAX_DELAY).as_millis()).unwrap_or(u64::MAX);
        let request = json!({
            "batch_size": max_messages.clamp(1, MAX_BATCH),
            "visibility_timeout_ms": visibility_ms,
        });
        Ok(answer::parse_batch(&self.post("/pull", &request).await?)?)
    }

    /// Acknowledges finished messages, and returns others so that the queue hands them out again after a delay.
    pub async fn settle(
        &self,
        acknowledged: &[LeaseId],
        returned: &[(LeaseId, Duration)],
    ) -> Result<SettleSummary, QueueError> {
        if acknowledged.is_empty() && returned.is_empty() {
            return Ok(SettleSummary::default());
        }
        let acks: Vec<_> = acknowledged.iter().map(|lease| json!({ "lease_id": lease.as_str() })).collect();
        let retries: Vec<_> = returned
            .iter()
            .map(|(lease, delay)| json!({ "lease_id": lease.as_str(), "delay_seconds": delay_seconds(*delay) }))
            .collect();
        let request = json!({ "acks": acks, "retries": retries });
        Ok(answer::parse_settle_summary(&self.post("/ack", &request).await?)?)
    }

    /// Sends a text message, which the queue first hands out after `delay`.
    pub async fn send(&self, text: &str, delay: Duration) -> Result<(), QueueError> {
        let request = json!({ "body": text, "content_type": "text", "delay_seconds": delay_seconds(delay) });
        Ok(answer::check_sent(&self.post("", &request).await?)?)
    }

    /// Returns the number of messages in the queue, if the queue reports it. Costs no message a delivery attempt.
    pub async fn backlog(&self) -> Result<Option<u64>, QueueError> {
        let url = format!("{}/metrics", self.queue_url);
        Ok(answer::parse_backlog(&self.send_request(self.client.get(url)).await?)?)
    }

    /// Checks that the queue accepts this client, with an empty settle request: a pull would cost a message a delivery
    /// attempt.
    pub async fn check_access(&self) -> Result<(), QueueError> {
        let request = json!({ "acks": [], "retries": [] });
        answer::parse_settle_summary(&self.post("/ack", &request).await?)?;
        Ok(())
    }

    async fn post(&self, action: &str, body: &Value) -> Result<Vec<u8>, QueueError> {
        let url = format!("{}/messages{action}", self.queue_url);
        self.send_request(self.client.post(url).json(body)).await
    }

    async fn send_request(&self, request: RequestBuilder) -> Result<Vec<u8>, QueueError> {
        let request = request.bearer_auth(self.token.expose_secret());
        let response = request.send().await.map_err(QueueError::from_transport)?;
        let (status, retry_after) = (response.status(), retry_after(&response));
        let answer = http::read_body(response, MAX_ANSWER_BYTES).await;
        if status == reqwest::StatusCode::OK {
            return Ok(answer?);
        }
        // The status classifies the error even if the reason in the body is unreadable.
        let reason = answer.unwrap_or_default();
        Err(QueueError::from_status(status, retry_after, &reason))
    }
}

/// Rounds up: a message must not come back before its delay is over.
fn delay_seconds(delay: Duration) -> u64 {
    let delay = delay.min(MAX_DELAY);
    delay.as_secs() + u64::from(delay.subsec_nanos() > 0)
}

fn retry_after(response: &Response) -> Option<Duration> {
    parse_retry_after(response.headers().get(RETRY_AFTER)?.to_str().ok()?)
}

#[cfg(test)]
mod tests;
