//! The external classifier: receives frames, sound and texts, and returns labels. `docs/classifier.md` has the
//! protocol.
//!
//! It fails closed: when the classifier is unreachable or its answer is invalid, the video waits and a finding says
//! why. Neither the token nor any text of an invalid answer may reach a log or a finding. It must not depend on where
//! the frames come from.

use crate::clients::http::{self, BodyError};
use answer::MAX_ANSWER_BYTES;
use contract::Backoff;
use contract::moderation::{Check, Finding, Recommendation};
use native::random_fraction;
use reqwest::multipart::{Form, Part};
use reqwest::{Client, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;

mod answer;

/// The first attempt and two retries.
const MAX_ATTEMPTS: u32 = 3;

/// The pauses between them.
const BACKOFF: Backoff =
    Backoff { first: Duration::from_secs(1), factor: 3, longest: Duration::from_mins(1), jitter: (1.0, 2.0) };

/// The classifier's URL, and the bearer token if it requires one.
#[derive(Clone, Debug)]
pub struct ClassifierSettings {
    pub url: String,
    pub token: Option<SecretString>,
}

#[derive(Clone, Copy, Debug)]
pub struct RetryTiming {
    /// The time limit of one attempt, from connecting to the last byte of the answer.
    pub attempt_timeout: Duration,
    /// The pause after the first failure. After the second it is three times as long.
    pub first_pause: Duration,
}

impl Default for RetryTiming {
    fn default() -> Self {
        Self { attempt_timeout: Duration::from_secs(30), first_pause: BACKOFF.first }
    }
}

/// A frame or poster in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameImage {
    pub at_ms: u64,
    pub jpeg: Vec<u8>,
}

/// The video that the classifier judges.
#[derive(Clone, Copy, Debug)]
pub struct ClassifierRequest<'a> {
    pub content_uuid: &'a str,
    pub caption: Option<&'a str>,
    /// The owner's summary of what happens in the video.
    pub summary: Option<&'a str>,
    /// The text of all subtitle tracks; empty without any.
    pub subtitles: &'a str,
    pub duration_ms: u64,
    /// The sound as MP4.
    pub sound: Option<&'a [u8]>,
    pub images: &'a [FrameImage],
}

#[derive(Clone, Debug)]
pub struct ClassifierClient {
    http: Client,
    settings: ClassifierSettings,
    timing: RetryTiming,
}

/// The reason why there is no valid answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum ClassifierError {
    /// The next attempt may succeed.
    #[error("{0}")]
    Transient(String),
    /// The next attempt would fail in the same way.
    #[error("{0}")]
    Final(String),
}

impl ClassifierClient {
    pub fn new(http: Client, settings: ClassifierSettings, timing: RetryTiming) -> Self {
        Self { http, settings, timing }
    }

    /// Returns the classifier's findings, or one finding that makes the video wait if there is no valid answer.
    pub async fn classify(&self, request: ClassifierRequest<'_>) -> Vec<Finding> {
        self.send(request).await.unwrap_or_else(|error| {
            tracing::warn!(content_uuid = request.content_uuid, "the classifier gave no valid answer: {error}");
            vec![waiting_finding(&error)]
        })
    }

    /// Sends the request, and again after a temporary failure.
    async fn send(&self, request: ClassifierRequest<'_>) -> Result<Vec<Finding>, ClassifierError> {
        let backoff = Backoff { first: self.timing.first_pause, ..BACKOFF };
        for failures in 1..MAX_ATTEMPTS {
            match self.send_once(request).await {
                Err(ClassifierError::Transient(_)) => {}
                answer => return answer,
            }
            tokio::time::sleep(backoff.pause(failures, random_fraction())).await;
        }
        self.send_once(request).await
    }

    async fn send_once(&self, request: ClassifierRequest<'_>) -> Result<Vec<Finding>, ClassifierError> {
        let mut http_request = self
            .http
            .post(&self.settings.url)
            .timeout(self.timing.attempt_timeout)
            .header("accept", "application/json")
            .multipart(multipart_form(request)?);
        if let Some(token) = &self.settings.token {
            http_request = http_request.bearer_auth(token.expose_secret());
        }
        let response = http_request.send().await.map_err(|error| transport_error(&error))?;
        check_status(response.status())?;
        let body = http::read_body(response, MAX_ANSWER_BYTES).await?;
        answer::parse(&body).map_err(ClassifierError::Final)
    }
}

/// Returns a form: a JSON part named `content`, then `sound` if there is any, and then a `frame` for each image, in
/// order.
fn multipart_form(request: ClassifierRequest<'_>) -> Result<Form, ClassifierError> {
    let times: Vec<_> = request.images.iter().map(|image| image.at_ms).collect();
    let content = serde_json::json!({
        "version": 1,
        "content_uuid": request.content_uuid,
        "caption": request.caption,
        "summary": request.summary,
        "subtitles": request.subtitles,
        "duration_ms": request.duration_ms,
        "frames_at_ms": times,
    });
    let part = with_media_type(Part::text(content.to_string()), "application/json")?;
    let mut form = Form::new().part("content", part);
    if let Some(sound) = request.sound {
        let part = Part::bytes(sound.to_vec()).file_name("sound.mp4");
        form = form.part("sound", with_media_type(part, "audio/mp4")?);
    }
    for image in request.images {
        let name = format!("{}.jpg", image.at_ms);
        let part = Part::bytes(image.jpeg.clone()).file_name(name);
        form = form.part("frame", with_media_type(part, "image/jpeg")?);
    }
    Ok(form)
}

fn with_media_type(part: Part, media_type: &str) -> Result<Part, ClassifierError> {
    part.mime_str(media_type).map_err(|error| ClassifierError::Final(error.to_string()))
}

fn check_status(status: StatusCode) -> Result<(), ClassifierError> {
    let reason = format!("status {}", status.as_u16());
    match status {
        StatusCode::OK => Ok(()),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => Err(ClassifierError::Transient(reason)),
        status if status.is_server_error() => Err(ClassifierError::Transient(reason)),
        _ => Err(ClassifierError::Final(reason)),
    }
}

impl From<BodyError> for ClassifierError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Transport(error) => transport_error(&error),
            too_long @ BodyError::TooLong => Self::Final(too_long.to_string()),
        }
    }
}

/// Describes the error in fixed words: the error's own text contains the URL, which may hold a password or a key.
fn transport_error(error: &reqwest::Error) -> ClassifierError {
    let reason = match error {
        error if error.is_builder() => return ClassifierError::Final("the URL is invalid".to_owned()),
        error if error.is_timeout() => "it timed out",
        error if error.is_connect() => "it is unreachable",
        _ => "the connection broke",
    };
    ClassifierError::Transient(reason.to_owned())
}

fn waiting_finding(error: &ClassifierError) -> Finding {
    let note = format!("the classifier gave no valid answer: {error}");
    Finding::of_whole_video(Check::Classifier, Recommendation::Wait, note)
}

#[cfg(test)]
mod tests;
