//! The edge's job API: claim, progress, release and report, plus the admin request that makes a new job.
//!
//! The only file that signs requests. It must not retry: the caller knows which requests are worth repeating. It
//! records whether the edge answered the latest request.

use crate::clients::http;
use crate::clients::reach::Reach;
use contract::api::{DeadLetterDropped, DeadLetters};
use contract::job::{ClaimAnswer, JobId, JobProgress, JobReport, ProgressAnswer, ReleaseAnswer, ReportAnswer};
use contract::signature::{BodyHash, OriginKey, SignedRequest};
use contract::{TRACEPARENT, TraceContext, paths};
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;
use uuid::Uuid;

const TIMEOUT: Duration = Duration::from_secs(15);
/// The largest answer that is read. All answers of the job API are far smaller.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// The edge's base URL, without a trailing slash, and the key that signs requests to it.
#[derive(Clone, Debug)]
pub struct EdgeSettings {
    pub url: String,
    pub key: OriginKey,
}

#[derive(Debug, thiserror::Error)]
pub enum EdgeError {
    /// The edge may have processed the request. The same request may be sent again.
    #[error("the edge is unavailable: {0}")]
    Unavailable(String),
    /// The edge rejects this request, and would reject it again.
    #[error("the edge rejected the request with status {status}: {body}")]
    Refused { status: StatusCode, body: String },
}

impl EdgeError {
    /// Whether the same request may succeed soon.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }

    /// Whether the edge rejects this origin itself, and so would reject all of its requests.
    pub fn is_unauthorized(&self) -> bool {
        let statuses = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
        matches!(self, Self::Refused { status, .. } if statuses.contains(status))
    }
}

#[derive(Clone, Debug)]
pub struct EdgeClient {
    http: Client,
    settings: EdgeSettings,
    reach: Reach,
}

impl EdgeClient {
    pub fn new(http: Client, settings: EdgeSettings) -> Self {
        Self { http, settings, reach: Reach::new() }
    }

    /// Returns the availability of the edge.
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    pub async fn claim(&self, id: &JobId, trace: TraceContext) -> Result<ClaimAnswer, EdgeError> {
        self.call(paths::JOB_CLAIM, id, trace).await
    }

    /// Claims a job of the nil UUID, which no content has. The answer shows whether URL, name, key and clock are
    /// right.
    pub async fn check_access(&self, origin: &str, trace: TraceContext) -> Result<ClaimAnswer, EdgeError> {
        let id = JobId { content_uuid: Uuid::nil().to_string(), generation: 1, origin: origin.to_owned() };
        self.claim(&id, trace).await
    }

    pub async fn progress(&self, progress: &JobProgress, trace: TraceContext) -> Result<ProgressAnswer, EdgeError> {
        self.call(paths::JOB_PROGRESS, progress, trace).await
    }

    pub async fn release(&self, id: &JobId, trace: TraceContext) -> Result<ReleaseAnswer, EdgeError> {
        self.call(paths::JOB_RELEASE, id, trace).await
    }

    pub async fn report(&self, report: &JobReport, trace: TraceContext) -> Result<ReportAnswer, EdgeError> {
        self.call(paths::JOB_REPORT, report, trace).await
    }

    /// Sends a request, and records whether the edge answered it. A refusal is an answer.
    async fn call<Answer: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        trace: TraceContext,
    ) -> Result<Answer, EdgeError> {
        let answer = self.exchange(path, body, trace).await;
        self.reach.record(!matches!(answer, Err(EdgeError::Unavailable(_))));
        answer
    }

    /// Sends a request that belongs to this trace. The log of the edge then names the trace.
    async fn exchange<Answer: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        trace: TraceContext,
    ) -> Result<Answer, EdgeError> {
        let body = serde_json::to_vec(body).map_err(unavailable)?;
        let url = Url::parse(&format!("{}{path}", self.settings.url)).map_err(unavailable)?;
        let request = SignedRequest {
            method: "POST",
            host: &signed_host(&url),
            target: url.path(),
            id: &Uuid::now_v7().to_string(),
            timestamp_unix: native::now_unix(),
            body_hash: BodyHash::of(&body),
        };
        let mut http_request = self.http.post(url.clone()).timeout(TIMEOUT);
        for (name, value) in request.headers(&self.settings.key) {
            http_request = http_request.header(name, value);
        }
        let http_request = http_request.header(TRACEPARENT, trace.to_string());
        let http_request = http_request.header("content-type", "application/json").body(body);
        read_answer(http_request.send().await.map_err(unavailable)?).await
    }
}

/// Has the edge make a new job for a content, with the admin token.
pub async fn requeue_job(
    http: &Client,
    url: &str,
    admin_token: &SecretString,
    content_uuid: &str,
) -> Result<(), EdgeError> {
    let request = http.post(format!("{url}{}", paths::JOB_REQUEUE));
    send_about::<serde_json::Value>(request, admin_token, content_uuid).await.map(drop)
}

/// Returns a page of the dead letters that the edge recorded, with the admin token.
pub async fn dead_letters(
    http: &Client,
    url: &str,
    admin_token: &SecretString,
    cursor: Option<&str>,
) -> Result<DeadLetters, EdgeError> {
    let mut page = Url::parse(&format!("{url}{}", paths::DEAD_LETTERS)).map_err(unavailable)?;
    if let Some(cursor) = cursor {
        page.query_pairs_mut().append_pair("cursor", cursor);
    }
    let request = http.get(page).timeout(TIMEOUT).bearer_auth(admin_token.expose_secret());
    read_answer(request.send().await.map_err(unavailable)?).await
}

/// Has the edge remove a job from its list of dead letters, with the admin token. Returns false if it is not listed.
pub async fn drop_dead_letter(
    http: &Client,
    url: &str,
    admin_token: &SecretString,
    content_uuid: &str,
) -> Result<bool, EdgeError> {
    let request = http.post(format!("{url}{}", paths::DEAD_LETTER_DROP));
    match send_about::<DeadLetterDropped>(request, admin_token, content_uuid).await {
        Ok(_) => Ok(true),
        Err(EdgeError::Refused { status: StatusCode::NOT_FOUND, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Sends a request about a content, with the admin token.
async fn send_about<Answer: DeserializeOwned>(
    request: RequestBuilder,
    admin_token: &SecretString,
    content_uuid: &str,
) -> Result<Answer, EdgeError> {
    let request = request.timeout(TIMEOUT).bearer_auth(admin_token.expose_secret());
    let request = request.json(&serde_json::json!({ "content_uuid": content_uuid }));
    read_answer(request.send().await.map_err(unavailable)?).await
}

async fn read_answer<Answer: DeserializeOwned>(response: reqwest::Response) -> Result<Answer, EdgeError> {
    let status = response.status();
    let body = http::read_body(response, MAX_ANSWER_BYTES).await.map_err(unavailable)?;
    if status.is_success() {
        return serde_json::from_slice(&body).map_err(unavailable);
    }
    let body = String::from_utf8_lossy(&body).into_owned();
    let is_transient =
        status.is_server_error() || [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status);
    if is_transient {
        return Err(EdgeError::Unavailable(format!("status {status}: {body}")));
    }
    Err(EdgeError::Refused { status, body })
}

/// Returns the host as the edge gets it: without the scheme's default port.
fn signed_host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn unavailable(error: impl std::error::Error) -> EdgeError {
    EdgeError::Unavailable(native::with_causes(&error))
}
