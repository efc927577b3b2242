//! Cloudflare's queue endpoints over HTTP: pull, settle, send. Everything has a limit: the time of a request, the size of
//! an answer. It decides nothing: what to do with a delivery or an error is the caller's.

use super::answer::{self, Batch, Settled};
use super::{LeaseId, QueueError};
use crate::http;
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, Response};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use std::time::Duration;

/// Cloudflare's limits; a request beyond them would be refused.
const LARGEST_BATCH: usize = 100;
const LONGEST: Duration = Duration::from_hours(12);
/// Polling is short: a queue without messages answers at once.
const TIMEOUT: Duration = Duration::from_secs(30);
/// A hundred messages of 128 kB in base64, and room for whatever JSON must escape.
const LARGEST_ANSWER: usize = 32 << 20;

/// Which queue, and where its API is.
#[derive(Clone, Debug)]
pub struct QueueAddress {
    /// `https://api.cloudflare.com/client/v4`, or the bridge's.
    pub base: String,
    pub account: String,
    pub queue: String,
}

#[derive(Clone, Debug)]
pub struct QueueClient {
    client: Client,
    messages: String,
    token: SecretString,
}

impl QueueClient {
    pub fn new(address: &QueueAddress, token: SecretString) -> Result<Self, QueueError> {
        Self::with_timeout(address, token, TIMEOUT)
    }

    /// A client with another patience than the usual.
    pub fn with_timeout(
        address: &QueueAddress,
        token: SecretString,
        timeout: Duration,
    ) -> Result<Self, QueueError> {
        let client = http::builder(timeout).build();
        let QueueAddress {
            base,
            account,
            queue,
        } = address;
        let base = base.trim_end_matches('/');
        Ok(Self {
            client: client.map_err(QueueError::of_transport)?,
            messages: format!("{base}/accounts/{account}/queues/{queue}/messages"),
            token,
        })
    }

    /// Takes up to so many messages. Each is hidden from other pullers for this long, and then comes again unless it was
    /// settled.
    pub async fn pull(&self, at_most: usize, hidden: Duration) -> Result<Batch, QueueError> {
        let hidden = u64::try_from(hidden.min(LONGEST).as_millis()).unwrap_or(u64::MAX);
        let asked = json!({
            "batch_size": at_most.clamp(1, LARGEST_BATCH),
            "visibility_timeout_ms": hidden,
        });
        Ok(answer::batch(&self.post("/pull", &asked).await?)?)
    }

    /// Acknowledges what is done, and gives back what is to be tried again after a while.
    pub async fn settle(
        &self,
        acknowledged: &[LeaseId],
        returned: &[(LeaseId, Duration)],
    ) -> Result<Settled, QueueError> {
        if acknowledged.is_empty() && returned.is_empty() {
            return Ok(Settled::default());
        }
        let acks: Vec<_> = acknowledged
            .iter()
            .map(|lease| json!({ "lease_id": lease.as_str() }))
            .collect();
        let retries: Vec<_> = returned
            .iter()
            .map(|(lease, delay)| json!({ "lease_id": lease.as_str(), "delay_seconds": seconds(*delay) }))
            .collect();
        let asked = json!({ "acks": acks, "retries": retries });
        Ok(answer::settled(&self.post("/ack", &asked).await?)?)
    }

    /// Sends a message as text, to be delivered after a while.
    pub async fn send(&self, text: &str, delay: Duration) -> Result<(), QueueError> {
        let asked =
            json!({ "body": text, "content_type": "text", "delay_seconds": seconds(delay) });
        Ok(answer::sent(&self.post("", &asked).await?)?)
    }

    /// Whether the queue can be used: asks for nothing to be settled, which takes no message from anybody.
    pub async fn check(&self) -> Result<(), QueueError> {
        let nothing = json!({ "acks": [], "retries": [] });
        answer::settled(&self.post("/ack", &nothing).await?)?;
        Ok(())
    }

    async fn post(&self, action: &str, asked: &Value) -> Result<Vec<u8>, QueueError> {
        let request = self
            .client
            .post(format!("{}{action}", self.messages))
            .bearer_auth(self.token.expose_secret())
            .json(asked);
        let response = request.send().await.map_err(QueueError::of_transport)?;
        let (status, asked_to_wait) = (response.status(), retry_after(&response));
        let body = http::body(response, LARGEST_ANSWER).await;
        if status == reqwest::StatusCode::OK {
            return Ok(body?);
        }
        // What the status says counts, also where the reason cannot be read.
        let reason = body.unwrap_or_default();
        Err(QueueError::of_status(status, asked_to_wait, &reason))
    }
}

/// Rounded up: a message must not come back before it may.
fn seconds(delay: Duration) -> u64 {
    let delay = delay.min(LONGEST);
    delay.as_secs() + u64::from(delay.subsec_nanos() > 0)
}

/// Only the form in seconds; a date would need this machine's clock to be right.
fn retry_after(response: &Response) -> Option<Duration> {
    let value = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests;
