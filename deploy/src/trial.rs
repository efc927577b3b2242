//! An end-to-end check of a deployed environment: uploads a clip with an API key, waits until it is published, opens
//! its page, and then deletes the clip and the key.
//!
//! `trial.mp4` was made with `ffmpeg -f lavfi -i smptebars=s=128x72:r=10:d=3 -f lavfi -i sine=d=3 -crf 45 -b:a 16k
//! -pix_fmt yuv420p -ac 1 trial.mp4`.

use anyhow::{Context, Result, bail, ensure};
use contract::paths;
use reqwest::multipart::{Form, Part};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CLIP: &[u8] = include_bytes!("../trial.mp4");
const POLL: Duration = Duration::from_secs(2);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The environment to test, and the account to use.
#[derive(Debug)]
pub struct Trial<'a> {
    pub base_url: &'a str,
    pub upload_url: &'a str,
    pub service_token: &'a str,
    /// An account that has no API key.
    pub account_id: u64,
}

/// A signed-in session of a trial.
struct Session<'a> {
    trial: &'a Trial<'a>,
    client: Client,
    cookie: String,
}

impl Trial<'_> {
    /// Runs the trial, and returns the address of the published page. The clip and the key are removed even if the
    /// trial fails.
    pub async fn run(&self, timeout: Duration) -> Result<String> {
        dev::install_crypto_provider();
        let client = Client::builder().timeout(REQUEST_TIMEOUT).build()?;
        let session = Session { trial: self, cookie: self.sign_in(&client).await?, client };
        let key = session.manage_key(paths::CREATE_API_KEY).await.context("creating an API key")?;
        let key = key["api_key"].as_str().context("the answer has no key")?.to_owned();
        let published = session.publish(&key, timeout).await;
        let removed = session.manage_key(paths::DELETE_API_KEY).await.context("deleting the API key");
        let page = published?;
        removed?;
        Ok(page)
    }

    async fn sign_in(&self, client: &Client) -> Result<String> {
        let request = client.post(format!("{}{}", self.base_url, paths::SESSIONS)).bearer_auth(self.service_token);
        let answer = send(request.json(&json!({ "account_id": self.account_id }))).await.context("signing in")?;
        Ok(answer["session_cookie"].as_str().context("the answer has no cookie")?.to_owned())
    }
}

impl Session<'_> {
    async fn manage_key(&self, path: &str) -> Result<Value> {
        let request = self.client.post(format!("{}{path}", self.trial.base_url)).header("Cookie", &self.cookie);
        send(request.json(&json!({}))).await
    }

    /// Uploads the clip, waits until it is published, and deletes it.
    async fn publish(&self, key: &str, timeout: Duration) -> Result<String> {
        let form = Form::new()
            .part("file", Part::bytes(CLIP).file_name("trial.mp4"))
            .text("caption", "A test of this installation. It is removed in a moment.");
        let upload = send(self.post(paths::UPLOAD_VIDEO, key).multipart(form)).await.context("uploading a clip")?;
        let content = upload["content_uuid"].as_str().context("the answer has no content_uuid")?;
        let page = self.wait_until_published(key, content, timeout).await;
        let deletion = self.post(paths::DELETE_CONTENT, key).json(&json!({ "content_uuid": content }));
        let deleted = send(deletion).await.context("deleting the clip");
        let page = page?;
        deleted?;
        Ok(page)
    }

    async fn wait_until_published(&self, key: &str, content: &str, timeout: Duration) -> Result<String> {
        let started = Instant::now();
        let url = format!("{}{}?content_uuid={content}", self.trial.upload_url, paths::UPLOAD_STATUS);
        loop {
            let status = send(self.client.get(&url).bearer_auth(key)).await.context("reading the status")?;
            match status["state"].as_str().unwrap_or_default() {
                "published" => return self.open_page(&status).await,
                "processing" | "scheduled" if started.elapsed() < timeout => tokio::time::sleep(POLL).await,
                "processing" => {
                    bail!("the clip is not processed after {timeout:?}: {}. Does an origin run?", status["stage"])
                }
                other => bail!("the clip is {other}: {}", status["detail"]),
            }
        }
    }

    async fn open_page(&self, status: &Value) -> Result<String> {
        let page = status["urls"]["page"].as_str().context("the status has no page")?;
        let response = self.client.get(page).send().await.with_context(|| format!("opening {page}"))?;
        ensure!(response.status() == 200, "{page}: {}", response.status());
        Ok(page.to_owned())
    }

    fn post(&self, path: &str, key: &str) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.trial.upload_url)).bearer_auth(key)
    }
}

/// Sends the request and returns the JSON of its answer. Fails unless the answer reports success.
async fn send(request: RequestBuilder) -> Result<Value> {
    let response = request.send().await?;
    let status = response.status();
    let answer: Value = response.json().await.with_context(|| format!("{status}, and no JSON"))?;
    ensure!(answer["success"] == true, "{status}: {} ({})", answer["error_message_code"], answer["detail"]);
    Ok(answer)
}
