//! The edge as an origin calls it: claim, progress, release, report. The only file that knows how such a request is signed.

use crate::configuration::Edge;
use crate::http;
use crate::secret::{ExposeSecret, SecretString};
use contract::job::{
    ClaimAnswer, JobClaim, JobId, JobProgress, JobReport, ProgressAnswer, ReleaseAnswer,
    ReportAnswer,
};
use contract::paths;
use contract::signature::{ID_HEADER, SIGNATURE_HEADER, SignedRequest, TIMESTAMP_HEADER};
use reqwest::{Client, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::{Duration, SystemTime};
use uuid::Uuid;

const TIMEOUT: Duration = Duration::from_secs(15);
/// No answer of the edge to an origin is longer.
const LONGEST_ANSWER: usize = 64 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum EdgeError {
    /// It may have been applied; the same request may be sent again.
    #[error("the edge did not answer: {0}")]
    Unavailable(String),
    /// The edge will say the same to the same request.
    #[error("the edge refused with status {status}: {body}")]
    Refused { status: StatusCode, body: String },
}

impl EdgeError {
    /// Whether the same request may get another answer soon.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }

    /// Whether it is this origin that the edge refuses, whatever it asks.
    pub fn refuses_origin(&self) -> bool {
        let statuses = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
        matches!(self, Self::Refused { status, .. } if statuses.contains(status))
    }
}

#[derive(Clone, Debug)]
pub struct EdgeClient {
    http: Client,
    edge: Edge,
}

impl EdgeClient {
    pub fn new(http: Client, edge: Edge) -> Self {
        Self { http, edge }
    }

    pub async fn claim(&self, claim: &JobClaim) -> Result<ClaimAnswer, EdgeError> {
        self.call(paths::JOB_CLAIM, claim).await
    }

    /// Claims for a content that cannot be: the answer shows whether address, secret and clock are right.
    pub async fn check(&self, origin: &str) -> Result<ClaimAnswer, EdgeError> {
        let id = JobId {
            content_uuid: Uuid::nil().to_string(),
            generation: 1,
            origin: origin.to_owned(),
        };
        self.claim(&JobClaim { id, delivery: 1 }).await
    }

    pub async fn progress(&self, progress: &JobProgress) -> Result<ProgressAnswer, EdgeError> {
        self.call(paths::JOB_PROGRESS, progress).await
    }

    pub async fn release(&self, id: &JobId) -> Result<ReleaseAnswer, EdgeError> {
        self.call(paths::JOB_RELEASE, id).await
    }

    pub async fn report(&self, report: &JobReport) -> Result<ReportAnswer, EdgeError> {
        self.call(paths::JOB_REPORT, report).await
    }

    async fn call<Answer: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Answer, EdgeError> {
        let body = serde_json::to_vec(body).map_err(unavailable)?;
        let request = SignedRequest {
            method: "POST",
            path,
            id: &Uuid::now_v7().to_string(),
            timestamp_unix: now_unix(),
            body: &body,
        };
        let sent = self
            .http
            .post(format!("{}{path}", self.edge.url))
            .timeout(TIMEOUT)
            .header(ID_HEADER, request.id)
            .header(TIMESTAMP_HEADER, request.timestamp_unix)
            .header(SIGNATURE_HEADER, self.edge.secret.sign(&request))
            .header("content-type", "application/json")
            .body(body.clone());
        read(sent.send().await.map_err(unavailable)?).await
    }
}

/// Asks for a new job for a content, as the media team does.
pub async fn requeue(
    http: &Client,
    url: &str,
    admin_token: &SecretString,
    content_uuid: &str,
) -> Result<(), EdgeError> {
    let request = http
        .post(format!("{url}{}", paths::JOB_REQUEUE))
        .timeout(TIMEOUT)
        .bearer_auth(admin_token.expose_secret())
        .json(&serde_json::json!({ "content_uuid": content_uuid }));
    let answer = request.send().await.map_err(unavailable)?;
    read::<serde_json::Value>(answer).await.map(drop)
}

async fn read<Answer: DeserializeOwned>(response: reqwest::Response) -> Result<Answer, EdgeError> {
    let status = response.status();
    let body = http::body(response, LONGEST_ANSWER)
        .await
        .map_err(unavailable)?;
    if status.is_success() {
        return serde_json::from_slice(&body).map_err(unavailable);
    }
    let body = String::from_utf8_lossy(&body).into_owned();
    let may_pass = status.is_server_error()
        || [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status);
    if may_pass {
        return Err(EdgeError::Unavailable(format!("status {status}: {body}")));
    }
    Err(EdgeError::Refused { status, body })
}

fn unavailable(error: impl std::error::Error) -> EdgeError {
    EdgeError::Unavailable(http::with_causes(&error))
}

pub fn now_unix() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
