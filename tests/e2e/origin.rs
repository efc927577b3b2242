//! An origin of the tests: it signs as a real one does, and says whatever a test wants.

use crate::channel::Channel;
use crate::harness::{Answer, Harness, send};
use anyhow::{Context, Result, ensure};
use contract::job::{
    ClaimAnswer, JobClaim, JobDetails, JobId, JobOutcome, JobProgress, JobReport, ProgressAnswer,
    ReleaseAnswer, ReportAnswer, StoredFile, StoredMedia,
};
use contract::moderation::{Check, Finding, FrameHash, Verdict};
use contract::signature::{
    ID_HEADER, OriginSecret, SIGNATURE_HEADER, SignedRequest, TIMESTAMP_HEADER,
};
use contract::{MediaFile, PictureHash, Stage, paths};
use fixtures::Form;
use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A content that was uploaded by a channel of its own, and the job that is made of it.
pub struct Job {
    pub channel: Channel,
    pub content_uuid: String,
    pub content_id: u64,
    pub generation: u64,
    pub origin: String,
}

/// A request as it is signed; a forgery changes it afterwards.
#[derive(Clone, Debug)]
pub struct Signed {
    pub method: Method,
    pub path: &'static str,
    pub id: String,
    pub timestamp: String,
    pub signature: String,
    pub body: Vec<u8>,
}

impl Signed {
    pub fn new(secret: &str, path: &'static str, body: &impl Serialize) -> Result<Self> {
        Self::at(secret, path, serde_json::to_vec(body)?, now_unix())
    }

    pub fn at(
        secret: &str,
        path: &'static str,
        body: Vec<u8>,
        timestamp_unix: u64,
    ) -> Result<Self> {
        let secret = OriginSecret::new(secret).context("the secret is too short")?;
        let id = "0198-test".to_owned();
        let request = SignedRequest {
            method: "POST",
            path,
            id: &id,
            timestamp_unix,
            body: &body,
        };
        let signature = secret.sign(&request);
        Ok(Self {
            method: Method::POST,
            path,
            timestamp: timestamp_unix.to_string(),
            signature,
            id,
            body,
        })
    }

    pub async fn send(&self, harness: &Harness) -> Result<Answer> {
        let request = harness.request(self.method.clone(), self.path);
        let request = request
            .header(ID_HEADER, &self.id)
            .header(TIMESTAMP_HEADER, &self.timestamp)
            .header(SIGNATURE_HEADER, &self.signature);
        send(request.body(self.body.clone())).await
    }
}

impl Job {
    pub async fn new(harness: &Arc<Harness>) -> Result<Self> {
        Self::of(Channel::new(harness).await?, |form| form).await
    }

    pub async fn of(channel: Channel, more: impl Fn(Form) -> Form) -> Result<Self> {
        let video = channel.harness.small_video();
        let form = more(Form::new()).file("file", "a.mp4", &video);
        let uploaded = channel.publish(form).await?;
        let content_uuid = uploaded["content_uuid"].as_str().context("no uuid")?;
        Ok(Self {
            content_uuid: content_uuid.to_owned(),
            content_id: uploaded["content_id"].as_u64().context("no id")?,
            generation: 1,
            origin: "origin-a".to_owned(),
            channel,
        })
    }

    pub fn harness(&self) -> &Arc<Harness> {
        &self.channel.harness
    }

    pub fn secret(&self) -> &str {
        self.harness().env().get("ORIGIN_SECRET")
    }

    pub fn id(&self) -> JobId {
        JobId {
            content_uuid: self.content_uuid.clone(),
            generation: self.generation,
            origin: self.origin.clone(),
        }
    }

    /// The same job as another origin sees it.
    pub fn seen_by(mut self, origin: &str) -> Self {
        origin.clone_into(&mut self.origin);
        self
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        path: &'static str,
        body: &impl Serialize,
    ) -> Result<T> {
        let answer = Signed::new(self.secret(), path, body)?
            .send(self.harness())
            .await?;
        ensure!(answer.status == 200, "{path}: {answer:?}");
        Ok(serde_json::from_slice(&answer.bytes)?)
    }

    pub fn claim_of(&self, delivery: u32) -> JobClaim {
        let id = self.id();
        JobClaim { id, delivery }
    }

    pub async fn claim(&self, delivery: u32) -> Result<ClaimAnswer> {
        self.ask(paths::JOB_CLAIM, &self.claim_of(delivery)).await
    }

    /// Claims and expects to get it.
    pub async fn take(&self) -> Result<JobDetails> {
        match self.claim(1).await? {
            ClaimAnswer::Work(details) => Ok(details),
            other => anyhow::bail!("not given: {other:?}"),
        }
    }

    pub async fn progress(&self, stage: Stage, percent: u8) -> Result<bool> {
        let id = self.id();
        let made = JobProgress { id, stage, percent };
        let answer: ProgressAnswer = self.ask(paths::JOB_PROGRESS, &made).await?;
        Ok(answer.go_on)
    }

    pub async fn release(&self) -> Result<bool> {
        let answer: ReleaseAnswer = self.ask(paths::JOB_RELEASE, &self.id()).await?;
        Ok(answer.released)
    }

    pub fn report_of(&self, outcome: JobOutcome) -> JobReport {
        let id = self.id();
        JobReport { id, outcome }
    }

    pub async fn report(&self, outcome: JobOutcome) -> Result<ReportAnswer> {
        self.ask(paths::JOB_REPORT, &self.report_of(outcome)).await
    }

    /// The content as its owner sees it.
    pub async fn status(&self) -> Result<Value> {
        let answer = self.ask_status(&self.channel.key).await?;
        ensure!(answer.status == 200, "{answer:?}");
        answer.json()
    }

    pub async fn ask_status(&self, key: &str) -> Result<Answer> {
        let path = format!(
            "{}?content_uuid={}",
            paths::UPLOAD_STATUS,
            self.content_uuid
        );
        self.harness().with_key(&path, key).await
    }

    /// The content's row.
    pub fn row(&self) -> Result<serde_json::Map<String, Value>> {
        self.harness()
            .row("SELECT * FROM contents WHERE id = ?1", self.content_id)
    }

    pub async fn requeue(&self) -> Result<Answer> {
        let request = self
            .harness()
            .request(Method::POST, paths::JOB_REQUEUE)
            .bearer_auth(self.harness().env().get("ADMIN_TOKEN"))
            .json(&serde_json::json!({ "content_uuid": self.content_uuid }));
        send(request).await
    }
}

/// The outcome of a job whose checks said that.
pub fn processed(verdicts: &[Verdict]) -> JobOutcome {
    let files = [
        MediaFile::Video,
        MediaFile::MasterPlaylist,
        MediaFile::Poster,
        MediaFile::Thumbnail(320),
        MediaFile::Thumbnail(640),
    ];
    let files = files.map(|file| StoredFile {
        name: file.to_string(),
        size_bytes: 1,
    });
    let finding = |verdict: &Verdict| Finding {
        check: Check::Classifier,
        verdict: *verdict,
        from_ms: Some(0),
        until_ms: Some(1_000),
        score: Some(0.5),
        note: None,
    };
    JobOutcome::Processed {
        media: StoredMedia {
            duration_ms: 5_000,
            width: 640,
            height: 360,
            has_audio: false,
            thumbhash: "3OcRJYB4d3h/iIeHeEh3eIhw+j3A".to_owned(),
            files: files.into(),
        },
        findings: verdicts.iter().map(finding).collect(),
        frames: vec![FrameHash {
            at_ms: 0,
            hash: PictureHash::from_bytes([0x0f; PictureHash::BYTES]),
        }],
    }
}

pub fn now_unix() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
