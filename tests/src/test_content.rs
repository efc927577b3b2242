//! A content whose media files are stored, and the requests of its owner, a moderator and the public.

use crate::channel::Channel;
use crate::fake_origin::{TestJob, processed};
use crate::http::{HttpAnswer, ensure_refused, send};
use crate::media_bytes::{all_media_files, bytes_of};
use crate::test_stack::TestStack;
use anyhow::{Context, Result, ensure};
use contract::job::{JobOutcome, ReportAnswer, StoredFile};
use contract::moderation::{FrameHash, Recommendation};
use contract::{MediaFile, ObjectKey, PictureHash, paths};
use fixtures::Form;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// A content, its job, and its addresses.
#[derive(Debug)]
pub struct TestContent {
    pub job: TestJob,
    pub media_name: String,
    pub slug_url: String,
    /// Frame hashes that no other test has.
    pub frames: Vec<FrameHash>,
}

impl TestContent {
    /// Uploads a small video with further fields, as a new channel.
    pub async fn upload(stack: &Arc<TestStack>, add_fields: impl Fn(Form) -> Form) -> Result<Self> {
        Self::of(TestJob::upload(Channel::new(stack).await?, add_fields).await?)
    }

    /// Uploads this video, as a new channel.
    pub async fn upload_file(stack: &Arc<TestStack>, video: &[u8]) -> Result<Self> {
        Self::of(TestJob::upload_file(Channel::new(stack).await?, video, |form| form).await?)
    }

    /// Returns the content of a job.
    pub fn of(job: TestJob) -> Result<Self> {
        let row = job.row()?;
        let text = |name: &str| row[name].as_str().map(str::to_owned).with_context(|| format!("no {name}"));
        let frame = |at_ms: u64| {
            let picture = format!("{} {at_ms}", job.content_uuid);
            let hash = PictureHash::from_bytes(Sha256::digest(picture).into());
            FrameHash { at_ms, hash }
        };
        Ok(Self {
            media_name: text("media_name")?,
            slug_url: text("slug_url")?,
            frames: (0..3).map(frame).collect(),
            job,
        })
    }

    /// Creates a published content with a caption.
    pub async fn published(stack: &Arc<TestStack>, caption: &str) -> Result<Self> {
        let content = Self::upload(stack, |form| form.text("caption", caption)).await?;
        let answer = content.finish(&[Recommendation::Pass]).await?;
        ensure!(answer.state == Some(contract::ContentState::Published), "{answer:?}");
        Ok(content)
    }

    /// Does the whole job: claims it, stores every file, and reports.
    pub async fn finish(&self, recommendations: &[Recommendation]) -> Result<ReportAnswer> {
        self.job.claim_granted().await?;
        self.job.report(self.outcome(recommendations)).await
    }

    /// Stores every media file.
    pub async fn store(&self) -> Result<()> {
        for file in all_media_files() {
            let key = ObjectKey::Media { content_uuid: &self.job.content_uuid, generation: self.job.generation, file };
            self.stack().put_object(&key.path(), bytes_of(file)).await?;
        }
        Ok(())
    }

    /// Returns the outcome that names the stored files.
    pub fn outcome(&self, recommendations: &[Recommendation]) -> JobOutcome {
        let mut outcome = processed(recommendations);
        if let JobOutcome::Processed { media, frames, .. } = &mut outcome {
            frames.clone_from(&self.frames);
            media.files = all_media_files().into_iter().map(stored_file).collect();
        }
        outcome
    }

    pub fn stack(&self) -> &Arc<TestStack> {
        self.job.stack()
    }

    pub fn stem(&self) -> &str {
        self.media_name.trim_end_matches(".mp4")
    }

    /// Returns the path under which a file is served.
    pub fn path(&self, file: MediaFile) -> String {
        match file {
            MediaFile::Video => format!("{}{}", paths::MEDIA, self.media_name),
            file => format!("{}{}/{file}", paths::MEDIA, self.stem()),
        }
    }

    pub fn page(&self) -> String {
        format!("{}{}", paths::PAGE, self.slug_url)
    }

    /// Returns the path of the player alone.
    pub fn embed(&self) -> String {
        format!("{}{}", paths::EMBED, self.slug_url)
    }

    /// Returns the path at which other sites ask for the player.
    pub fn oembed(&self) -> String {
        format!("{}?url={}{}", paths::OEMBED, self.stack().env().get("SITE_URL"), self.page())
    }

    /// Returns the paths of everything that shows the content besides its files.
    pub fn documents(&self) -> [String; 3] {
        [self.page(), self.embed(), self.oembed()]
    }

    pub fn get(&self, file: MediaFile) -> RequestBuilder {
        self.stack().request(Method::GET, &self.path(file))
    }

    /// Fails unless the public gets every file, the page and the player, or, if `is_public` is false, the same refusal
    /// for each.
    pub async fn ensure_public(&self, is_public: bool) -> Result<()> {
        for file in all_media_files() {
            let answer = send(self.get(file)).await?;
            if is_public {
                ensure!(answer.status == 200 && answer.bytes == bytes_of(file), "{file}: {}", answer.status);
            } else {
                ensure_refused(&answer, 404, "not_found")?;
            }
        }
        for path in self.documents() {
            let answer = self.stack().get(&path).await?;
            ensure!(answer.status == if is_public { 200 } else { 404 }, "{path}: {answer:?}");
        }
        Ok(())
    }

    /// Sends a request of the owner about this content, with the key.
    pub async fn owner_request(&self, path: &str, more: Value) -> Result<HttpAnswer> {
        let mut body = json!({ "content_uuid": self.job.content_uuid });
        if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        let request = self.stack().request(Method::POST, path);
        send(request.bearer_auth(&self.job.channel.key).json(&body)).await
    }

    /// Sends a moderator's decision.
    pub async fn decide(&self, path: &str) -> Result<HttpAnswer> {
        let body = json!({ "content_uuid": self.job.content_uuid, "reason": "a reason" });
        send(moderator_request(self.stack(), Method::POST, path).json(&body)).await
    }

    /// Returns the body of a request that names the content.
    pub fn named(&self) -> Value {
        json!({ "content_uuid": self.job.content_uuid })
    }

    /// Returns the state in the status that the owner gets.
    pub async fn state(&self) -> Result<String> {
        let status = self.job.status().await?;
        Ok(status["state"].as_str().context("no state")?.to_owned())
    }
}

/// Returns a request with the admin token.
pub fn moderator_request(stack: &TestStack, method: Method, path: &str) -> RequestBuilder {
    let token = stack.env().get("ADMIN_TOKEN");
    stack.request(method, path).bearer_auth(token)
}

fn stored_file(file: MediaFile) -> StoredFile {
    StoredFile { name: file.to_string(), size_bytes: bytes_of(file).len() as u64 }
}
