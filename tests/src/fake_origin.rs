//! An origin that signs its requests as a real one does, and reports the outcome that a test chooses.

use crate::channel::Channel;
use crate::http::{HttpAnswer, send};
use crate::media_bytes::bytes_of;
use crate::test_stack::TestStack;
use anyhow::{Context, Result, ensure};
use contract::job::{
    ClaimAnswer, JobDetails, JobId, JobOutcome, JobProgress, JobReport, ProgressAnswer, Quality, ReleaseAnswer,
    ReportAnswer, StoredFile, StoredMedia,
};
use contract::moderation::{Check, Examination, Finding, FrameHash, Recommendation};
use contract::signature::{
    BodyHash, CONTENT_SHA256_HEADER, ID_HEADER, KEY_ID_HEADER, OriginKey, SIGNATURE_HEADER, SignedRequest,
    TIMESTAMP_HEADER,
};
use contract::{MediaFile, ObjectKey, PictureHash, Stage, paths};
use fixtures::Form;
use native::now_unix;
use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A content that a channel has uploaded, and its job.
#[derive(Debug)]
pub struct TestJob {
    pub channel: Channel,
    pub content_uuid: String,
    pub content_id: u64,
    pub generation: u64,
    pub origin: String,
}

/// A signed request. A forgery changes its fields after it was signed.
#[derive(Clone, Debug)]
pub struct SignedMessage {
    pub method: Method,
    pub path: String,
    pub key_id: String,
    pub id: String,
    pub timestamp: String,
    pub body_hash: String,
    pub signature: String,
    pub body: Vec<u8>,
}

/// The key of an origin, and the host that it signs for.
#[derive(Clone, Debug)]
pub struct Signer {
    pub key: String,
    pub host: String,
}

impl SignedMessage {
    pub fn new(signer: &Signer, path: &str, body: &impl Serialize) -> Result<Self> {
        Self::at(signer, path, serde_json::to_vec(body)?, now_unix())
    }

    pub fn at(signer: &Signer, path: &str, body: Vec<u8>, timestamp_unix: u64) -> Result<Self> {
        let key = OriginKey::parse(&signer.key).context("not a key")?;
        let id = "0198-test".to_owned();
        let body_hash = BodyHash::of(&body);
        let request =
            SignedRequest { method: "POST", host: &signer.host, target: path, id: &id, timestamp_unix, body_hash };
        let (signature, key_id, path) = (key.sign(&request), key.id().to_string(), path.to_owned());
        let (timestamp, body_hash) = (timestamp_unix.to_string(), body_hash.to_string());
        Ok(Self { method: Method::POST, path, key_id, timestamp, body_hash, signature, id, body })
    }

    pub fn headers(&self) -> [(&'static str, &str); 5] {
        [
            (KEY_ID_HEADER, &self.key_id),
            (ID_HEADER, &self.id),
            (TIMESTAMP_HEADER, &self.timestamp),
            (CONTENT_SHA256_HEADER, &self.body_hash),
            (SIGNATURE_HEADER, &self.signature),
        ]
    }

    pub async fn send(&self, stack: &TestStack) -> Result<HttpAnswer> {
        let mut request = stack.request(self.method.clone(), &self.path);
        for (name, value) in self.headers() {
            request = request.header(name, value);
        }
        send(request.body(self.body.clone())).await
    }
}

impl TestJob {
    pub async fn new(stack: &Arc<TestStack>) -> Result<Self> {
        Self::upload(Channel::new(stack).await?, |form| form).await
    }

    /// Uploads a small video with additional form fields.
    pub async fn upload(channel: Channel, add_fields: impl Fn(Form) -> Form) -> Result<Self> {
        let video = channel.stack.small_video();
        Self::upload_file(channel, &video, add_fields).await
    }

    /// Uploads this video with additional form fields.
    pub async fn upload_file(channel: Channel, video: &[u8], add_fields: impl Fn(Form) -> Form) -> Result<Self> {
        let form = add_fields(Form::new()).file("file", "a.mp4", video);
        let result = channel.upload_accepted(form).await?;
        let content_uuid = result["content_uuid"].as_str().context("no content_uuid")?;
        Ok(Self {
            content_uuid: content_uuid.to_owned(),
            content_id: result["content_id"].as_u64().context("no content_id")?,
            generation: 1,
            origin: "origin-a".to_owned(),
            channel,
        })
    }

    pub fn stack(&self) -> &Arc<TestStack> {
        &self.channel.stack
    }

    /// Returns the key of the job's origin.
    pub async fn signer(&self) -> Result<Signer> {
        let key = self.stack().origin_key(&self.origin).await?;
        Ok(Signer { key, host: self.stack().address().to_owned() })
    }

    pub fn id(&self) -> JobId {
        JobId { content_uuid: self.content_uuid.clone(), generation: self.generation, origin: self.origin.clone() }
    }

    /// Returns the same job, with another origin working on it.
    #[must_use]
    pub fn as_origin(mut self, origin: &str) -> Self {
        origin.clone_into(&mut self.origin);
        self
    }

    /// Sends a signed request and reads its answer.
    async fn call<T: DeserializeOwned>(&self, path: &'static str, body: &impl Serialize) -> Result<T> {
        let answer = SignedMessage::new(&self.signer().await?, path, body)?.send(self.stack()).await?;
        ensure!(answer.status == 200, "{path}: {answer:?}");
        Ok(serde_json::from_slice(&answer.bytes)?)
    }

    pub async fn claim(&self) -> Result<ClaimAnswer> {
        self.call(paths::JOB_CLAIM, &self.id()).await
    }

    /// Claims the job and fails unless the claim is granted.
    pub async fn claim_granted(&self) -> Result<JobDetails> {
        match self.claim().await? {
            ClaimAnswer::Granted(details) => Ok(details),
            other => anyhow::bail!("the claim was not granted: {other:?}"),
        }
    }

    /// Reports progress. Returns whether the origin still holds the job.
    pub async fn progress(&self, stage: Stage, percent: u8) -> Result<bool> {
        let id = self.id();
        let message = JobProgress { id, stage, percent };
        let answer: ProgressAnswer = self.call(paths::JOB_PROGRESS, &message).await?;
        Ok(answer.is_current)
    }

    /// Releases the job. Returns whether it was held.
    pub async fn release(&self) -> Result<bool> {
        let answer: ReleaseAnswer = self.call(paths::JOB_RELEASE, &self.id()).await?;
        Ok(answer.released)
    }

    pub fn report_message(&self, outcome: JobOutcome) -> JobReport {
        let id = self.id();
        JobReport { id, outcome }
    }

    /// Stores the files that the outcome names, and reports the outcome.
    pub async fn report(&self, outcome: JobOutcome) -> Result<ReportAnswer> {
        self.store(&outcome).await?;
        self.report_only(outcome).await
    }

    /// Stores files of the sizes in the outcome.
    pub async fn store(&self, outcome: &JobOutcome) -> Result<()> {
        let files = match outcome {
            JobOutcome::Processed { media, .. } | JobOutcome::Completed { media } => &media.files,
            JobOutcome::Thumbnail { pictures, .. } => &pictures.files,
            JobOutcome::Captions { subtitles, .. } => &subtitles.files,
            JobOutcome::Refused { .. } | JobOutcome::Failed { .. } | JobOutcome::Undecided { .. } => return Ok(()),
        };
        for stored in files {
            let Some(file) = MediaFile::parse(&stored.name) else { continue };
            let key = ObjectKey::Media { content_uuid: &self.content_uuid, generation: self.generation, file };
            let known = bytes_of(file);
            let filler = vec![b'x'; usize::try_from(stored.size_bytes).unwrap_or(0)];
            let bytes = if known.len() == filler.len() { known.to_vec() } else { filler };
            self.stack().put_object(&key.path(), bytes).await?;
        }
        Ok(())
    }

    /// Reports an outcome without storing its files.
    pub async fn report_only(&self, outcome: JobOutcome) -> Result<ReportAnswer> {
        self.call(paths::JOB_REPORT, &self.report_message(outcome)).await
    }

    /// Returns the status that the owner gets.
    pub async fn status(&self) -> Result<Value> {
        let answer = self.status_with_key(&self.channel.key).await?;
        ensure!(answer.status == 200, "{answer:?}");
        answer.json()
    }

    pub async fn status_with_key(&self, key: &str) -> Result<HttpAnswer> {
        let path = format!("{}?content_uuid={}", paths::UPLOAD_STATUS, self.content_uuid);
        self.stack().get_with_key(&path, key).await
    }

    /// Returns the row of the content, with the columns of its latest job.
    pub fn row(&self) -> Result<Map<String, Value>> {
        self.stack().content(self.content_id)
    }

    /// Fails unless the queue has accepted the message of the job, which no origin has claimed yet. Otherwise the next
    /// sweep would have to send it.
    pub fn ensure_sent(&self) -> Result<()> {
        let row = self.row()?;
        let is_sent = row["job_state"] == "due" && row["sendings"].as_u64() > Some(0);
        ensure!(is_sent && row["due_at_unix"].as_u64() > Some(0), "{row:?}");
        Ok(())
    }

    pub async fn requeue(&self) -> Result<HttpAnswer> {
        let request = self
            .stack()
            .request(Method::POST, paths::JOB_REQUEUE)
            .bearer_auth(self.stack().env().get("ADMIN_TOKEN"))
            .json(&json!({ "content_uuid": self.content_uuid }));
        send(request).await
    }
}

/// Returns the outcome of a job whose checks made these recommendations.
pub fn processed(recommendations: &[Recommendation]) -> JobOutcome {
    let files = [
        MediaFile::Video,
        MediaFile::MasterPlaylist,
        MediaFile::Poster,
        MediaFile::Thumbnail(320),
        MediaFile::Thumbnail(640),
    ];
    let files = files.map(|file| StoredFile { name: file.to_string(), size_bytes: 1 });
    let finding = |recommendation: &Recommendation| Finding {
        check: Check::Classifier,
        recommendation: *recommendation,
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
            quality: Quality::Full,
            files: files.into(),
            subtitles: Vec::new(),
            dropped_subtitles: Vec::new(),
        },
        findings: recommendations.iter().map(finding).collect(),
        frames: vec![FrameHash { at_ms: 0, hash: PictureHash::from_bytes([0x0f; PictureHash::BYTES]) }],
        examination: Examination {
            checks: Check::OF_EVERY_JOB.to_vec(),
            plain_frames_at_ms: (0..10).map(|number| number * 500).collect(),
        },
    }
}
