//! The origins of a test, and a channel that uploads to their stack.

use crate::channel::Channel;
use crate::harness::{Harness, send};
use anyhow::{Context, Result, bail, ensure};
use contract::paths;
use dev::{Origin, OriginOptions};
use fixtures::Form;
use reqwest::Method;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often what changes by itself is looked at.
const LOOK: Duration = Duration::from_millis(50);

pub struct Fleet {
    pub harness: Arc<Harness>,
    pub channel: Channel,
    /// Where the test makes its clips.
    pub folder: PathBuf,
    pub origins: Vec<Origin>,
    state: PathBuf,
}

/// An upload that was taken.
#[derive(Clone, Debug)]
pub struct Upload {
    pub content_id: u64,
    pub content_uuid: String,
    pub media_name: String,
}

impl Fleet {
    /// A fleet without origins.
    pub async fn new(harness: &Arc<Harness>) -> Result<Self> {
        let state = harness.folder().canonicalize()?;
        let folder = state.join("clips");
        std::fs::create_dir_all(&folder)?;
        Ok(Self {
            harness: Arc::clone(harness),
            channel: Channel::new(harness).await?,
            folder,
            origins: Vec::new(),
            state,
        })
    }

    /// Starts an origin of that name, and returns its number.
    pub async fn start(&mut self, name: &str, vars: &[(&str, &str)]) -> Result<usize> {
        let vars = vars.iter();
        let options = OriginOptions {
            name: name.to_owned(),
            vars: vars
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        };
        let mut origin = Origin::start(&options, self.harness.env(), &self.state)?;
        origin.ready().await?;
        self.origins.push(origin);
        Ok(self.origins.len() - 1)
    }

    /// Kills an origin and starts it again, as whatever watches over it would.
    pub fn crash(&mut self, number: usize) -> Result<()> {
        let origin = self.origins.get_mut(number).context("no such origin")?;
        origin.kill();
        origin.restart(self.harness.env(), &self.state)
    }

    /// Asks an origin to end, and returns how it did.
    pub async fn end(&mut self, number: usize, at_most: Duration) -> Result<ExitStatus> {
        let origin = self.origins.get_mut(number).context("no such origin")?;
        origin.terminate();
        let deadline = Instant::now() + at_most;
        loop {
            if let Some(status) = origin.ended() {
                return Ok(status);
            }
            ensure!(Instant::now() < deadline, "it goes on after {at_most:?}");
            tokio::time::sleep(LOOK).await;
        }
    }

    pub async fn upload(&self, video: &[u8]) -> Result<Upload> {
        self.upload_with(video, |form| form).await
    }

    pub async fn upload_with(&self, video: &[u8], more: impl Fn(Form) -> Form) -> Result<Upload> {
        let form = more(Form::new()).file("file", "clip", video);
        let told = self.channel.publish(form).await?;
        let text = |name: &str| told[name].as_str().map(str::to_owned).context("no text");
        Ok(Upload {
            content_id: told["content_id"].as_u64().context("no id")?,
            content_uuid: text("content_uuid")?,
            media_name: text("media_name")?,
        })
    }

    pub async fn status(&self, upload: &Upload) -> Result<Value> {
        let path = paths::UPLOAD_STATUS;
        let path = format!("{path}?content_uuid={}", upload.content_uuid);
        let answer = self.harness.with_key(&path, &self.channel.key).await?;
        ensure!(answer.status == 200, "{answer:?}");
        answer.json()
    }

    /// The status once it is no longer processed.
    pub async fn until_over(&self, upload: &Upload, at_most: Duration) -> Result<Value> {
        let over = |row: &Map<String, Value>| row["state"] != "processing";
        self.until(upload, at_most, over).await?;
        self.status(upload).await
    }

    /// The status of what must have become public.
    pub async fn until_published(&self, upload: &Upload, at_most: Duration) -> Result<Value> {
        let status = self.until_over(upload, at_most).await?;
        ensure!(status["state"] == "published", "{status:#}");
        Ok(status)
    }

    /// The content's row once it is as wanted.
    pub async fn until(
        &self,
        upload: &Upload,
        at_most: Duration,
        wanted: impl Fn(&Map<String, Value>) -> bool,
    ) -> Result<Map<String, Value>> {
        let deadline = Instant::now() + at_most;
        loop {
            let row = self.row(upload)?;
            if wanted(&row) {
                return Ok(row);
            }
            if Instant::now() > deadline {
                bail!("after {at_most:?}: {row:#?}\n{}", self.logs());
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    pub fn row(&self, upload: &Upload) -> Result<Map<String, Value>> {
        let sql = "SELECT * FROM contents WHERE id = ?1";
        self.harness.row(sql, upload.content_id)
    }

    /// Ends the claim of a job, as the silence of its origin would in its time.
    pub async fn silence(&self, upload: &Upload) -> Result<()> {
        let id = upload.content_id;
        let silence = format!("UPDATE contents SET claim_ends_at_unix = 1 WHERE id = {id}");
        self.harness.change(silence).await
    }

    pub async fn sweep(&self) -> Result<()> {
        let answer = send(self.harness.service(Method::POST, paths::SWEEP)).await?;
        ensure!(answer.status == 200, "{answer:?}");
        Ok(())
    }

    /// What the origins keep on the disk beside their locks.
    pub fn leftovers(&self) -> Result<Vec<PathBuf>> {
        let mut left = Vec::new();
        for origin in &self.origins {
            for entry in std::fs::read_dir(&origin.work_dir)? {
                left.push(entry?.path());
            }
        }
        left.retain(|path| !path.ends_with("lock"));
        Ok(left)
    }

    fn logs(&self) -> String {
        let texts = self.origins.iter().map(|origin| {
            let text = std::fs::read_to_string(origin.log()).unwrap_or_default();
            format!("{}:\n{text}\n", origin.log().display())
        });
        texts.collect()
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for mut origin in self.origins.drain(..) {
            origin.kill();
            // What is left then is in the temporary folder.
            let _ = std::fs::remove_dir_all(&origin.work_dir);
        }
    }
}
