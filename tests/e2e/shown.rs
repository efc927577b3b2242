//! A content with files that are really stored, at every step of its life, and everybody who may ask for them.

use crate::channel::Channel;
use crate::harness::{Answer, Harness, ensure_refused, send};
use crate::origin::{Job, processed};
use anyhow::{Context, Result, ensure};
use contract::job::{JobOutcome, ReportAnswer, StoredFile};
use contract::moderation::{FrameHash, Verdict};
use contract::{MediaFile, ObjectKey, PictureHash, paths};
use fixtures::Form;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;

pub const FILES: [MediaFile; 10] = [
    MediaFile::Video,
    MediaFile::MasterPlaylist,
    MediaFile::Playlist(360),
    MediaFile::Segments(360),
    MediaFile::Poster,
    MediaFile::Thumbnail(320),
    MediaFile::Thumbnail(640),
    MediaFile::Storyboard,
    MediaFile::StoryboardTrack,
    MediaFile::Preview,
];

/// An upload and its job.
pub struct Shown {
    pub job: Job,
    pub media_name: String,
    pub slug_url: String,
    /// The hashes of its frames: no other test has them.
    pub frames: Vec<FrameHash>,
}

/// The bytes of a file: each its own, and enough of the video to cut ranges out of.
pub fn bytes_of(file: MediaFile) -> Vec<u8> {
    let length = match file {
        MediaFile::Video => 300_000,
        _ => 900,
    };
    let seed = file.to_string();
    let seed: u32 = seed.bytes().map(u32::from).sum();
    let byte = |index: u32| (index.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 24) & 0xff;
    (0..length)
        .map(|index| u8::try_from(byte(index)).unwrap_or_default())
        .collect()
}

impl Shown {
    pub async fn upload(harness: &Arc<Harness>, more: impl Fn(Form) -> Form) -> Result<Self> {
        Self::upload_of(Channel::new(harness).await?, more).await
    }

    pub async fn upload_of(channel: Channel, more: impl Fn(Form) -> Form) -> Result<Self> {
        let job = Job::of(channel, more).await?;
        let row = job.row()?;
        let text = |name: &str| row[name].as_str().map(str::to_owned).context("no text");
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

    /// A content that is published with a caption.
    pub async fn published(harness: &Arc<Harness>, caption: &str) -> Result<Self> {
        let shown = Self::upload(harness, |form| form.text("caption", caption)).await?;
        let told = shown.finish(&[Verdict::Pass]).await?;
        ensure!(
            told.state == Some(contract::ContentState::Published),
            "{told:?}"
        );
        Ok(shown)
    }

    /// Does the whole job: stores every file and reports.
    pub async fn finish(&self, verdicts: &[Verdict]) -> Result<ReportAnswer> {
        self.job.take().await?;
        self.store().await?;
        self.job.report(self.outcome(verdicts)).await
    }

    pub async fn store(&self) -> Result<()> {
        for file in FILES {
            let key = ObjectKey::Media {
                content_uuid: &self.job.content_uuid,
                generation: self.job.generation,
                file,
            };
            self.harness()
                .put_object(&key.path(), bytes_of(file))
                .await?;
        }
        Ok(())
    }

    pub fn outcome(&self, verdicts: &[Verdict]) -> JobOutcome {
        let mut outcome = processed(verdicts);
        if let JobOutcome::Processed { media, frames, .. } = &mut outcome {
            frames.clone_from(&self.frames);
            media.files = FILES.map(stored).into();
        }
        outcome
    }

    pub fn harness(&self) -> &Arc<Harness> {
        self.job.harness()
    }

    pub fn stem(&self) -> &str {
        self.media_name.trim_end_matches(".mp4")
    }

    /// The path of a file's address.
    pub fn path(&self, file: MediaFile) -> String {
        match file {
            MediaFile::Video => format!("{}{}", paths::MEDIA, self.media_name),
            file => format!("{}{}/{file}", paths::MEDIA, self.stem()),
        }
    }

    pub fn page(&self) -> String {
        format!("{}{}", paths::PAGE, self.slug_url)
    }

    pub fn get(&self, file: MediaFile) -> RequestBuilder {
        self.harness().request(Method::GET, &self.path(file))
    }

    /// Fails unless everybody gets everything, or nobody anything: at any address, in the same words.
    pub async fn ensure_public(&self, is_public: bool) -> Result<()> {
        for file in FILES {
            let answer = send(self.get(file)).await?;
            if is_public {
                ensure!(
                    answer.status == 200 && answer.bytes == bytes_of(file),
                    "{file}: {}",
                    answer.status
                );
            } else {
                ensure_refused(&answer, 404, "not_found")?;
            }
        }
        let page = self.harness().get(&self.page()).await?;
        ensure!(page.status == if is_public { 200 } else { 404 }, "{page:?}");
        Ok(())
    }

    /// A wish of its owner, with the key.
    pub async fn wish(&self, path: &str, more: Value) -> Result<Answer> {
        let mut body = json!({ "content_uuid": self.job.content_uuid });
        if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        let request = self.harness().request(Method::POST, path);
        send(request.bearer_auth(&self.job.channel.key).json(&body)).await
    }

    /// A moderator's decision.
    pub async fn decide(&self, path: &str) -> Result<Answer> {
        let body =
            json!({ "content_uuid": self.job.content_uuid, "reason": "a reason", "by": "mara" });
        send(moderator(self.harness(), Method::POST, path).json(&body)).await
    }

    /// The state, as its owner is told.
    pub async fn state(&self) -> Result<String> {
        let status = self.job.status().await?;
        Ok(status["state"].as_str().context("no state")?.to_owned())
    }
}

pub fn moderator(harness: &Harness, method: Method, path: &str) -> RequestBuilder {
    let token = harness.env().get("ADMIN_TOKEN");
    harness.request(method, path).bearer_auth(token)
}

fn stored(file: MediaFile) -> StoredFile {
    StoredFile {
        name: file.to_string(),
        size_bytes: bytes_of(file).len() as u64,
    }
}
