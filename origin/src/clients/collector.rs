//! The client of the span collector. Logs once when the collector becomes unreachable, and once when it responds again.

use crate::clients::http;
use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use reqwest::Client;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;

/// A batch that takes longer is lost.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The largest answer that is read. Usually it is empty.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// Sends batches from a thread outside of any runtime.
#[derive(Debug)]
pub struct CollectorClient {
    http: Client,
    runtime: Handle,
    is_failing: AtomicBool,
}

impl CollectorClient {
    /// Must be called in the runtime that is to send the requests.
    pub fn new() -> reqwest::Result<Self> {
        let http = http::client_builder(TIMEOUT).build()?;
        Ok(Self { http, runtime: Handle::current(), is_failing: AtomicBool::new(false) })
    }

    fn note(&self, problem: Option<&str>) {
        let was_failing = self.is_failing.swap(problem.is_some(), Ordering::Relaxed);
        match problem {
            Some(problem) if !was_failing => {
                tracing::warn!(problem, "spans cannot be exported and are lost; jobs continue");
            }
            None if was_failing => tracing::info!("spans are exported again"),
            _ => {}
        }
    }
}

#[async_trait]
impl HttpClient for CollectorClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sent = self.runtime.spawn(send(self.http.clone(), request)).await?;
        match &sent {
            Ok(response) if response.status().is_success() => self.note(None),
            Ok(response) => self.note(Some(&format!("status {}", response.status()))),
            Err(problem) => self.note(Some(problem)),
        }
        Ok(sent?)
    }
}

async fn send(http: Client, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
    // The address may contain a password, so no error names it.
    let described = |error: reqwest::Error| native::with_causes(&error.without_url());
    let response = http.execute(request.try_into().map_err(described)?).await.map_err(described)?;
    let status = response.status();
    let body = http::read_body(response, MAX_ANSWER_BYTES).await.map_err(|error| match error {
        http::BodyError::Transport(error) => described(error),
        error @ http::BodyError::TooLong => error.to_string(),
    })?;
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = status;
    Ok(response)
}
