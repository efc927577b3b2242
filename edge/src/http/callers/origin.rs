//! An origin, by its signature over the request. The signature is verified before a byte of the body is read. The owner
//! of the key, and whether it is revoked, are checked in the transactions that do the work (`platform::signer`).

use super::{Caller, Credential, Requirement};
use crate::base::refusal::Refusal;
use crate::http::{App, small_body};
use crate::jobs::RequestTimes;
use crate::people::auth::origin_signature::RequestLine;
use crate::platform::signer::Signer;
use axum::body::Body;
use axum::extract::FromRequest;
use axum::http::Request;
use axum::http::uri::PathAndQuery;
use contract::ErrorCode;
use contract::job::{JobId, JobRequest, MAX_JOB_BODY_BYTES};
use contract::signature::BodyHash;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tracing::Span;
use worker::send::SendFuture;

/// The body of a request that an origin signed, the time of the signature, and the App whose database checks the key.
///
/// An invalid signature, a body with another hash, and a body that names a different origin all get the same response:
/// 401 `signature_invalid`. So does a revoked key, once a batch needs it. A signed body that is too large or cannot be
/// parsed gets 400 `request_malformed`, and one that arrives too slowly 408 `request_timeout`. Without memory for the
/// body, the answer is 503 `service_overloaded`.
pub(crate) struct SignedByOrigin<T> {
    pub app: App,
    pub body: T,
    pub times: RequestTimes,
}

impl<T> Caller for SignedByOrigin<T> {
    const REQUIRES: Requirement = Requirement::Required(Credential::OriginSignature);
}

impl<T: DeserializeOwned + JobRequest> FromRequest<()> for SignedByOrigin<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, (): &()) -> Result<Self, Refusal> {
        SendFuture::new(Self::read(request)).await
    }
}

impl<T: DeserializeOwned + JobRequest> SignedByOrigin<T> {
    async fn read(request: Request<Body>) -> Result<Self, Refusal> {
        let invalid = || Refusal::new(ErrorCode::SignatureInvalid);
        let (parts, body) = request.into_parts();
        let app = App::of(&parts)?;
        let target = parts.uri.path_and_query().map_or("/", PathAndQuery::as_str);
        let line = RequestLine { method: parts.method.as_str(), host: &app.host(), target };
        let verified = app.secrets().origin_key_roots()?.verify(line, &parts.headers, app.now()).ok_or_else(invalid)?;
        let body = small_body::read(&app, body, MAX_JOB_BODY_BYTES).await?;
        if BodyHash::of(&body.bytes) != verified.body_hash {
            return Err(invalid());
        }
        let body: T = parse(&body.bytes)?;
        record(body.job_id());
        let signer = Signer { key_id: verified.key_id, origin: body.job_id().origin.clone() };
        let times = RequestTimes { now: app.now(), signed_at: verified.signed_at };
        Ok(Self { app: app.signed_by(signer), body, times })
    }
}

/// Adds the job to every log line of the request.
fn record(job: &JobId) {
    let span = Span::current();
    // A longer text is not a UUID, and would only fill the log.
    if job.content_uuid.len() <= 36 {
        span.record("content", job.content_uuid.as_str());
    }
    span.record("generation", job.generation);
    span.record("origin", job.origin.as_str());
}

/// Parses the body into a `Value` first: generating code that reads each type from bytes as well would make the Worker
/// much larger.
fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    let value = serde_json::from_slice(body).and_then(|value: Value| T::deserialize(&value));
    value.map_err(|error| {
        tracing::warn!(%error, "the body of an origin does not match its endpoint");
        Refusal::malformed("The body does not match this endpoint. Run the same version of origin and edge.")
    })
}
