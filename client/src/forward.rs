//! Forwards events to a user's program as webhooks.

use crate::answers::LoggedEvent;
use crate::connection::http_client;
use crate::error::ClientError;
use contract::{SigningSecret, WebhookMessage};
use native::with_causes;
use reqwest::{Client as HttpClient, Url};
use std::slice;
use std::time::{Duration, Instant};

/// The time limit for a receiver's response, the same as the service's own.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Posts events to one address.
#[derive(Debug)]
pub struct Forwarder {
    http: HttpClient,
    url: Url,
    secret: SigningSecret,
}

/// The receiver's response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub status: u16,
    pub took: Duration,
}

impl Forwarder {
    pub fn new(url: Url, secret: SigningSecret) -> Result<Self, ClientError> {
        Ok(Self { http: http_client()?, url, secret })
    }

    /// Posts the event once. Returns the receiver's response, or why there is none.
    pub async fn forward(&self, event: &LoggedEvent, now_unix: u64) -> Result<Delivery, String> {
        let body = serde_json::to_string(event).map_err(|error| error.to_string())?;
        let mut request = self.http.post(self.url.clone()).timeout(TIMEOUT).header("content-type", "application/json");
        let message = WebhookMessage { id: &event.id, timestamp_unix: now_unix, body: &body };
        for (name, value) in message.headers(slice::from_ref(&self.secret)) {
            request = request.header(name, value);
        }
        let started = Instant::now();
        let response = request.body(body).send().await.map_err(|error| with_causes(&error))?;
        Ok(Delivery { status: response.status().as_u16(), took: started.elapsed() })
    }
}
