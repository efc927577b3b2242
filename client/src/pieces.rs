//! Sends a large file as a resumable upload (tus 1.0). The upload continues after a broken connection and after a
//! restart of the program.

use crate::answers::UploadAnswer;
use crate::api::{Client, parse};
use crate::connection::{Failure, failed, read, send, with_retries};
use crate::error::ClientError;
use crate::fields::UploadFields;
use crate::file::{JudgedFile, VerifiedBody};
use crate::refusal::Refusal;
use crate::tokens::{LockedRecord, UploadRecord, UploadState};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::{ErrorCode, FormField, paths};
use reqwest::{Body, Method, RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// The smallest file that is sent in pieces. A smaller one is quickly sent again.
pub(crate) const PIECES_FROM_BYTES: u64 = 16_000_000;

/// The bytes of one request: a multiple of the service's parts of 5 MiB, which saves it work, and less than
/// Cloudflare's smaller plans accept.
const PIECE_BYTES: u64 = 40 * 1024 * 1024;

/// An upload in pieces.
pub(crate) struct PiecewiseUpload<'a> {
    pub file: &'a JudgedFile,
    pub fields: &'a UploadFields,
    pub token: &'a str,
    /// Stores the upload's location for the next run.
    pub record: &'a LockedRecord,
}

/// The outcome of one step.
enum Step {
    /// The upload was created at this location.
    Begun(String),
    /// The upload of an earlier run has ended.
    Gone,
    /// The service has stored a piece.
    Stored,
    Accepted(Box<UploadAnswer>),
}

/// The progress of the upload, as the service reports it.
#[derive(Debug, Deserialize)]
struct Progress {
    state: String,
    offset: u64,
    result: Option<UploadAnswer>,
    error_message_code: Option<String>,
    detail: Option<String>,
}

impl Client {
    /// Uploads a file. Continues the upload at the `known` location if an earlier run has begun one. `progress` is
    /// called with the number of bytes that have been sent.
    pub(crate) async fn upload_in_pieces(
        &self,
        upload: &PiecewiseUpload<'_>,
        known: Option<String>,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<UploadAnswer, ClientError> {
        let mut location = known;
        let mut may_be_gone = location.is_some();
        let stored = AtomicU64::new(0);
        loop {
            // Retries count from the last bytes that were stored: a connection that breaks often is no reason to wait.
            let step = async || self.step(upload, (location.as_deref(), may_be_gone), &stored, progress).await;
            match with_retries(self.options(), step).await? {
                Step::Accepted(answer) => return Ok(*answer),
                Step::Stored => {}
                Step::Begun(begun) => (location, may_be_gone) = (upload.remember(Some(begun))?, false),
                Step::Gone => location = upload.remember(None)?,
            }
        }
    }

    /// Creates the upload, or gets its offset and sends the next piece. An upload of an earlier run may be gone; one of
    /// this run that is gone was ended by someone, for example with its key. `stored` is the offset after the last
    /// step.
    async fn step(
        &self,
        upload: &PiecewiseUpload<'_>,
        (location, may_be_gone): (Option<&str>, bool),
        stored: &AtomicU64,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<Step, Failure> {
        let Some(location) = location else { return self.begin(upload).await };
        let standing = match send(self.tus(Method::GET, location), self.options().stall_timeout).await {
            Err(Failure::Final(error)) if may_be_gone && has_code(&error, &[ErrorCode::UploadNotFound]) => {
                return Ok(Step::Gone);
            }
            answer => parse::<Progress>(answer?.body).map_err(Failure::Final)?,
        };
        match standing.state.as_str() {
            "accepted" => accepted(standing),
            "refused" => {
                // The rejection is final for this location. A new upload with other fields may succeed.
                upload.remember(None).map_err(Failure::Final)?;
                Err(Failure::Final(refusal(standing).into()))
            }
            _ if stored.swap(standing.offset, Relaxed) < standing.offset => Ok(Step::Stored),
            _ => {
                let sent = self.send_piece(upload, location, standing.offset, progress).await?;
                stored.fetch_add(PIECE_BYTES, Relaxed);
                Ok(sent)
            }
        }
    }

    async fn begin(&self, upload: &PiecewiseUpload<'_>) -> Result<Step, Failure> {
        let request = self.request(Method::POST, paths::RESUMABLE_UPLOADS, &[]).header("Tus-Resumable", "1.0.0");
        let request =
            request.header("Upload-Length", upload.file.length()).header("Upload-Metadata", upload.metadata());
        let response = answer(request.timeout(self.options().stall_timeout)).await?;
        let location = response.headers().get("location").and_then(|value| value.to_str().ok());
        match location.filter(|_| response.status() == StatusCode::CREATED) {
            Some(location) => Ok(Step::Begun(location.to_owned())),
            None => Err(unexpected(response).await),
        }
    }

    /// Sends the bytes from this offset on.
    async fn send_piece(
        &self,
        upload: &PiecewiseUpload<'_>,
        location: &str,
        offset: u64,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<Step, Failure> {
        let length = upload.file.length().saturating_sub(offset).min(PIECE_BYTES);
        let body = VerifiedBody::piece(upload.file, offset, length).await;
        let body = body.map_err(|error| Failure::Final(error.into()))?;
        let (sent, problem) = (body.sent(), body.problem());
        let request =
            self.tus(Method::PATCH, location).header("Upload-Offset", offset).header("Content-Length", length);
        let request = request.header("Content-Type", "application/offset+octet-stream");
        let request = request.header("Accept", "application/json").body(Body::wrap_stream(body.into_stream()));
        let exchange = async {
            let response = answer(request).await?;
            if response.status() == StatusCode::NO_CONTENT {
                return Ok(Step::Stored);
            }
            let accepted = parse(read(response).await?.body).map_err(Failure::Final)?;
            Ok(Step::Accepted(Box::new(accepted)))
        };
        self.watched(exchange, &sent, &problem, progress).await.map_err(moved_is_temporary)
    }

    fn tus(&self, method: Method, location: &str) -> RequestBuilder {
        // The location is the credential, so the key is not sent.
        self.http().request(method, self.service().join(location, &[])).header("Tus-Resumable", "1.0.0")
    }
}

impl PiecewiseUpload<'_> {
    /// Stores the upload's location for the next run, and returns it.
    fn remember(&self, location: Option<String>) -> Result<Option<String>, ClientError> {
        let record = UploadRecord { token: self.token.to_owned(), state: UploadState::Pending, location };
        self.record.write(&record)?;
        Ok(record.location)
    }

    fn metadata(&self) -> String {
        let token = (FormField::UploadToken.name(), self.token.to_owned());
        let pairs = self.fields.form_texts().into_iter().chain([token, ("sha256", self.file.sha256().to_owned())]);
        pairs.map(|(name, text)| format!("{name} {}", STANDARD.encode(text))).collect::<Vec<_>>().join(",")
    }
}

async fn answer(request: RequestBuilder) -> Result<Response, Failure> {
    request.send().await.map_err(|error| failed(&error))
}

/// Returns the failure that a response reports.
async fn unexpected(response: Response) -> Failure {
    let status = response.status().as_u16();
    let foreign = Failure::Final(ClientError::ForeignAnswer { status });
    read(response).await.err().unwrap_or(foreign)
}

fn accepted(standing: Progress) -> Result<Step, Failure> {
    let result = standing.result.map(|result| Step::Accepted(Box::new(result)));
    result.ok_or(Failure::Final(ClientError::ForeignAnswer { status: 200 }))
}

fn refusal(standing: Progress) -> Refusal {
    Refusal::reported(standing.error_message_code.unwrap_or_default(), standing.detail)
}

/// Makes the refusals temporary that mean that the upload has another offset now. The next attempt gets that offset.
fn moved_is_temporary(failure: Failure) -> Failure {
    match failure {
        Failure::Final(error) if has_code(&error, &[ErrorCode::UploadOffsetMismatch, ErrorCode::UploadSuperseded]) => {
            Failure::Temporary(error)
        }
        failure => failure,
    }
}

fn has_code(error: &ClientError, codes: &[ErrorCode]) -> bool {
    error.refusal().is_some_and(|refusal| codes.iter().any(|code| refusal.is(*code)))
}
