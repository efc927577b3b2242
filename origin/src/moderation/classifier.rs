//! The external classifier: frames and caption out, labels in. `docs/classifier.md` is its contract.
//!
//! It fails closed: when it cannot be asked or its answer cannot be read, the content waits, and the finding says why.
//! Neither the token nor anything of an answer that is not understood comes into a log or a finding.

use crate::configuration::Classifier;
use crate::http::{self, BodyError};
use crate::moderation::classifier_answer::{self, LONGEST_ANSWER};
use crate::moderation::picture::Picture;
use crate::secret::ExposeSecret;
use backon::{ExponentialBuilder, Retryable};
use contract::moderation::{Check, Finding, Verdict};
use reqwest::multipart::{Form, Part};
use reqwest::{Client, StatusCode};
use std::time::Duration;

/// The first, and those after a failure that may pass.
const ATTEMPTS: usize = 3;

/// How long to wait for what.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For an attempt, from the connection to the answer's last byte.
    pub attempt: Duration,
    /// After the first failure; three times as long after the second.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            attempt: Duration::from_secs(30),
            pause: Duration::from_secs(1),
        }
    }
}

/// What is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub content_uuid: &'a str,
    pub caption: Option<&'a str>,
    pub duration_ms: u64,
    pub pictures: &'a [Picture],
}

#[derive(Clone, Debug)]
pub struct ClassifierClient {
    http: Client,
    classifier: Classifier,
    patience: Patience,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Fault {
    /// The next attempt may succeed.
    #[error("{0}")]
    Passing(String),
    /// It would say the same again.
    #[error("{0}")]
    Final(String),
}

impl ClassifierClient {
    pub fn new(http: Client, classifier: Classifier, patience: Patience) -> Self {
        Self {
            http,
            classifier,
            patience,
        }
    }

    /// What the classifier says; that the content waits when it says nothing that can be understood.
    pub async fn ask(&self, question: Question<'_>) -> Vec<Finding> {
        let pauses = ExponentialBuilder::default()
            .with_min_delay(self.patience.pause)
            .with_factor(3.0)
            .with_max_times(ATTEMPTS - 1)
            .with_jitter();
        let answer = (|| self.attempt(question))
            .retry(pauses)
            .when(|fault| matches!(fault, Fault::Passing(_)));
        answer.await.unwrap_or_else(|fault| {
            tracing::warn!(
                content_uuid = question.content_uuid,
                "the classifier gave no verdict: {fault}"
            );
            vec![waits(&fault)]
        })
    }

    async fn attempt(&self, question: Question<'_>) -> Result<Vec<Finding>, Fault> {
        let mut request = self
            .http
            .post(&self.classifier.url)
            .timeout(self.patience.attempt)
            .header("accept", "application/json")
            .multipart(form(question)?);
        if let Some(token) = &self.classifier.token {
            request = request.bearer_auth(token.expose_secret());
        }
        let response = request.send().await.map_err(|error| unanswered(&error))?;
        judge_status(response.status())?;
        let body = http::body(response, LONGEST_ANSWER).await?;
        classifier_answer::read(&body).map_err(Fault::Final)
    }
}

/// One part of JSON named `content`, then the frames in their order, each named `frame`.
fn form(question: Question<'_>) -> Result<Form, Fault> {
    let times: Vec<_> = question
        .pictures
        .iter()
        .map(|picture| picture.at_ms)
        .collect();
    let content = serde_json::json!({
        "version": 1,
        "content_uuid": question.content_uuid,
        "caption": question.caption,
        "duration_ms": question.duration_ms,
        "frames_at_ms": times,
    });
    let part = typed(Part::text(content.to_string()), "application/json")?;
    let mut form = Form::new().part("content", part);
    for picture in question.pictures {
        let name = format!("{}.jpg", picture.at_ms);
        let part = Part::bytes(picture.jpeg.clone()).file_name(name);
        form = form.part("frame", typed(part, "image/jpeg")?);
    }
    Ok(form)
}

fn typed(part: Part, media_type: &str) -> Result<Part, Fault> {
    part.mime_str(media_type)
        .map_err(|error| Fault::Final(error.to_string()))
}

fn judge_status(status: StatusCode) -> Result<(), Fault> {
    let fault = format!("it answered with status {}", status.as_u16());
    match status {
        StatusCode::OK => Ok(()),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => Err(Fault::Passing(fault)),
        status if status.is_server_error() => Err(Fault::Passing(fault)),
        _ => Err(Fault::Final(fault)),
    }
}

impl From<BodyError> for Fault {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Broken(error) => unanswered(&error),
            too_long @ BodyError::TooLong => Self::Final(too_long.to_string()),
        }
    }
}

/// In our own words: those of the error name the address, which may hold a password or a key.
fn unanswered(error: &reqwest::Error) -> Fault {
    let what = match error {
        error if error.is_builder() => return Fault::Final("its address is not valid".to_owned()),
        error if error.is_timeout() => "it did not answer in time",
        error if error.is_connect() => "it cannot be reached",
        _ => "the connection to it broke",
    };
    Fault::Passing(what.to_owned())
}

fn waits(fault: &Fault) -> Finding {
    Finding {
        check: Check::Classifier,
        verdict: Verdict::Wait,
        from_ms: None,
        until_ms: None,
        score: None,
        note: Some(format!("the classifier gave no verdict: {fault}")),
    }
}

#[cfg(test)]
#[path = "classifier_tests.rs"]
mod tests;
