//! Publishes a clip with an API key, and deletes it again: once at the end of a deployment (`trial`), and every few
//! minutes as the canary of `clipgate-watch`.
//!
//! `trial.mp4` was made with `ffmpeg -f lavfi -i smptebars=s=128x72:r=10:d=3 -f lavfi -i sine=d=3 -crf 45 -b:a 16k
//! -pix_fmt yuv420p -ac 1 trial.mp4`.

use crate::smoke::reached;
use anyhow::{Context, Result, bail, ensure};
use contract::paths;
use reqwest::multipart::{Form, Part};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CLIP: &[u8] = include_bytes!("../trial.mp4");
const POLL: Duration = Duration::from_secs(2);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A service, and the API key to upload the clip with.
#[derive(Clone, Copy)]
pub(crate) struct TestClip<'a> {
    pub client: &'a Client,
    pub upload_url: &'a str,
    pub key: &'a str,
}

/// The steps that succeeded, each with how long it took.
pub(crate) type Steps = Vec<(&'static str, Duration)>;

/// Returns a client for the requests.
pub(crate) fn client() -> Result<Client> {
    native::install_crypto_provider();
    Ok(Client::builder().timeout(REQUEST_TIMEOUT).build()?)
}

impl TestClip<'_> {
    /// Uploads the clip, waits until it is published, opens its page, and deletes it. Returns the address of the page.
    /// The clip is deleted even if it is not published in time.
    pub(crate) async fn run(&self, timeout: Duration, steps: &mut Steps) -> Result<String> {
        let content = timed("upload", steps, self.upload()).await.context("uploading the clip")?;
        let page = self.publish(&content, timeout, steps).await;
        let deleted = timed("delete", steps, self.delete(&content)).await.context("deleting the clip");
        let page = page?;
        deleted?;
        Ok(page)
    }

    async fn upload(&self) -> Result<String> {
        let form = Form::new()
            .part("file", Part::bytes(CLIP).file_name("trial.mp4"))
            .text("caption", "A test of this installation. It will be deleted in a moment.");
        let upload = send(self.post(paths::UPLOAD_VIDEO).multipart(form)).await?;
        Ok(upload["content_uuid"].as_str().context("the response has no content_uuid")?.to_owned())
    }

    async fn publish(&self, content: &str, timeout: Duration, steps: &mut Steps) -> Result<String> {
        let page = timed("publish", steps, self.wait_until_published(content, timeout)).await?;
        timed("page", steps, self.open(&page)).await?;
        Ok(page)
    }

    async fn wait_until_published(&self, content: &str, timeout: Duration) -> Result<String> {
        let started = Instant::now();
        let url = format!("{}{}?content_uuid={content}", self.upload_url, paths::UPLOAD_STATUS);
        loop {
            let status = send(self.client.get(&url).bearer_auth(self.key)).await.context("reading the status")?;
            match status["state"].as_str().unwrap_or_default() {
                "published" => {
                    return status["urls"]["page"].as_str().map(str::to_owned).context("the status has no page");
                }
                "processing" | "scheduled" if started.elapsed() < timeout => tokio::time::sleep(POLL).await,
                "processing" => {
                    bail!("the clip is not processed after {timeout:?}: {}. Is an origin running?", status["stage"])
                }
                other => bail!("the clip is {other}: {}", status["detail"]),
            }
        }
    }

    async fn open(&self, page: &str) -> Result<()> {
        let response = self.client.get(page).send().await.with_context(|| format!("opening {page}"))?;
        ensure!(response.status() == 200, "{page}: {}", response.status());
        Ok(())
    }

    async fn delete(&self, content: &str) -> Result<()> {
        send(self.post(paths::DELETE_CONTENT).json(&json!({ "content_uuid": content }))).await.map(drop)
    }

    fn post(&self, path: &str) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.upload_url)).bearer_auth(self.key)
    }
}

/// Performs a step, and records its duration if it succeeds.
async fn timed<T>(name: &'static str, steps: &mut Steps, step: impl Future<Output = Result<T>>) -> Result<T> {
    let started = Instant::now();
    let outcome = step.await?;
    steps.push((name, started.elapsed()));
    Ok(outcome)
}

/// Sends the request and returns the JSON of its answer. Fails unless the answer reports success.
pub(crate) async fn send(request: RequestBuilder) -> Result<Value> {
    let response = reached(request.send().await?).await?;
    let status = response.status();
    let answer: Value = response.json().await.with_context(|| format!("{status}, and no JSON"))?;
    ensure!(answer["success"] == true, "{status}: {} ({})", answer["error_message_code"], answer["detail"]);
    Ok(answer)
}
