//! Real origins of one test, and a channel that uploads to their stack.

use crate::channel::Channel;
use crate::test_stack::TestStack;
use anyhow::{Context, Result, ensure};
use contract::paths;
use dev::{OriginOptions, OriginProcess};
use fixtures::Form;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Origins that are killed and removed when this is dropped.
#[derive(Debug)]
pub struct OriginFleet {
    pub stack: Arc<TestStack>,
    pub channel: Channel,
    /// The folder for the clips of the test.
    pub folder: PathBuf,
    pub origins: Vec<OriginProcess>,
    state: PathBuf,
}

/// An upload that the edge accepted.
#[derive(Clone, Debug, Deserialize)]
pub struct AcceptedUpload {
    pub content_id: u64,
    pub content_uuid: String,
    pub media_name: String,
}

impl OriginFleet {
    /// Returns a fleet without origins.
    pub async fn new(stack: &Arc<TestStack>) -> Result<Self> {
        let state = stack.folder().canonicalize()?;
        let folder = state.join("clips");
        std::fs::create_dir_all(&folder)?;
        Ok(Self { stack: Arc::clone(stack), channel: Channel::new(stack).await?, folder, origins: Vec::new(), state })
    }

    /// Starts an origin and returns its index.
    pub async fn start(&mut self, name: &str, vars: &[(&str, &str)]) -> Result<usize> {
        let options = OriginOptions {
            name: name.to_owned(),
            vars: vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        };
        let mut origin = OriginProcess::start(&options, self.stack.env(), &self.state).await?;
        origin.wait_until_ready().await?;
        self.origins.push(origin);
        Ok(self.origins.len() - 1)
    }

    /// Kills an origin and starts it again, as a supervisor would.
    pub fn crash(&mut self, index: usize) -> Result<()> {
        let origin = self.origins.get_mut(index).context("no such origin")?;
        origin.kill();
        origin.restart(self.stack.env(), &self.state)
    }

    /// Asks an origin to stop and waits for its exit status.
    pub async fn stop(&mut self, index: usize, at_most: Duration) -> Result<ExitStatus> {
        let origin = self.origins.get_mut(index).context("no such origin")?;
        origin.terminate();
        let deadline = Instant::now() + at_most;
        loop {
            if let Some(status) = origin.exit_status() {
                return Ok(status);
            }
            ensure!(Instant::now() < deadline, "the origin is still running after {at_most:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub async fn upload(&self, video: &[u8]) -> Result<AcceptedUpload> {
        self.upload_with(video, |form| form).await
    }

    /// Uploads a video with further fields.
    pub async fn upload_with(&self, video: &[u8], add_fields: impl Fn(Form) -> Form) -> Result<AcceptedUpload> {
        let form = add_fields(Form::new()).file("file", "clip", video);
        let result = self.channel.upload_accepted(form).await?;
        Ok(serde_json::from_value(result.into())?)
    }

    pub async fn status(&self, upload: &AcceptedUpload) -> Result<Value> {
        let path = format!("{}?content_uuid={}", paths::UPLOAD_STATUS, upload.content_uuid);
        let answer = self.stack.get_with_key(&path, &self.channel.key).await?;
        ensure!(answer.status == 200, "{answer:?}");
        answer.json()
    }

    /// Waits until the content is no longer processed, and returns its status.
    pub async fn until_processed(&self, upload: &AcceptedUpload, at_most: Duration) -> Result<Value> {
        self.until_row(upload, at_most, |row| row["state"] != "processing").await?;
        self.status(upload).await
    }

    /// Waits until the content is published in at least its first quality, and returns its status. Fails if it ends in
    /// another state.
    pub async fn until_public(&self, upload: &AcceptedUpload, at_most: Duration) -> Result<Value> {
        let status = self.until_processed(upload, at_most).await?;
        ensure!(status["state"] == "published", "{status:#}");
        Ok(status)
    }

    /// Waits until the content is published in all its qualities, and returns its status.
    pub async fn until_published(&self, upload: &AcceptedUpload, at_most: Duration) -> Result<Value> {
        self.until_public(upload, at_most).await?;
        let look = async || Ok(Some(self.status(upload).await?).filter(|status| status["quality"] == "full"));
        crate::until(at_most, look, || format!("it is not completed\n{}", self.logs())).await
    }

    /// Waits until the row of the content fulfils the condition, and returns it.
    pub async fn until_row(
        &self,
        upload: &AcceptedUpload,
        at_most: Duration,
        condition: impl Fn(&Map<String, Value>) -> bool,
    ) -> Result<Map<String, Value>> {
        let look = async || Ok(Some(self.row(upload)?).filter(&condition));
        let describe = || format!("{:#?}\n{}", self.row(upload), self.logs());
        crate::until(at_most, look, describe).await
    }

    /// Waits until an origin has worked on the job for some seconds. The progress in the row is older.
    pub async fn until_begun(&self, upload: &AcceptedUpload) -> Result<()> {
        self.until_row(upload, Duration::from_mins(1), |row| row["job_state"] == "claimed").await?;
        tokio::time::sleep(Duration::from_secs(2)).await;
        Ok(())
    }

    /// Returns the row of the content, with the columns of its latest job.
    pub fn row(&self, upload: &AcceptedUpload) -> Result<Map<String, Value>> {
        self.stack.content(upload.content_id)
    }

    /// Ends the claim on a job, as minutes without heartbeats would. The next sweep looks at the job.
    pub async fn expire_claim(&self, upload: &AcceptedUpload) -> Result<()> {
        let (id, ended) = (upload.content_id, "claim_ends_at_unix = 1, due_at_unix = 1");
        self.stack.change_rows(format!("UPDATE jobs SET {ended} WHERE content_id = {id} AND state = 'claimed'")).await
    }

    /// Returns the files in the work folders of the origins, apart from their locks.
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

impl Drop for OriginFleet {
    fn drop(&mut self) {
        for mut origin in self.origins.drain(..) {
            origin.kill();
            // If this fails, the leftovers are in the folder for temporary files.
            let _ = std::fs::remove_dir_all(&origin.work_dir);
        }
    }
}
