//! The stack that is measured: the release Worker, a published video, and a channel that may upload without a limit.

use anyhow::{Context, Result, ensure};
use contract::{ContentState, api, paths};
use dev::{OriginOptions, Stack, StackOptions, WorkerVariant};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const CLIP_SECONDS: u32 = 30;

pub(crate) struct Service {
    pub client: Client,
    pub key: String,
    pub urls: api::PublicUrls,
    stack: Stack,
    // Dropped after the stack, which writes to it.
    _folder: TempDir,
}

impl Service {
    /// Starts the stack and publishes a clip. Then stops the origin, so that it takes no processor time.
    pub(crate) async fn start(has_cache: bool) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("clipgate-viewers-").tempdir()?;
        ensure!(!has_cache || dev::is_cache_installed(), "Varnish is not installed. Run `ops/dev/setup cache`.");
        let options = StackOptions {
            port: dev::free_port()?,
            has_cache,
            state: folder.path().join("stack"),
            variant: WorkerVariant::Release,
            vars: Vec::new(),
            rates: vec![("KEY_RATE", 1_000_000), ("ADDRESS_RATE", 1_000_000)],
            has_completions_queue: false,
            origins: vec![OriginOptions { name: "origin".to_owned(), vars: Vec::new() }],
            shared_stack_env: None,
        };
        let mut stack = Stack::boot(options, |_| {}).await?;
        let client = dev::http_client();
        let key = create_key(&client, &stack).await?;
        let clip = make_clip(&folder)?;
        let urls = publish(&client, &stack, &key, clip).await?;
        stack.origins.clear();
        Ok(Self { client, key, urls, stack, _folder: folder })
    }

    pub(crate) fn with_key(&self, method: Method, path: &str) -> RequestBuilder {
        request(&self.client, &self.stack, method, path).bearer_auth(&self.key)
    }

    /// Returns the output of wrangler and the Worker so far.
    pub(crate) fn log(&self) -> Result<String> {
        Ok(std::fs::read_to_string(self.stack.log())?)
    }
}

fn request(client: &Client, stack: &Stack, method: Method, path: &str) -> RequestBuilder {
    client.request(method, format!("{}{path}", stack.env.get("BASE_URL")))
}

async fn json_of(request: RequestBuilder) -> Result<Value> {
    Ok(request.send().await?.error_for_status()?.json().await?)
}

async fn create_key(client: &Client, stack: &Stack) -> Result<String> {
    let mint = request(client, stack, Method::POST, paths::SESSIONS).bearer_auth(stack.env.get("SERVICE_TOKEN"));
    let session = json_of(mint.json(&json!({ "account_id": 1000, "daily_upload_limit": 1_000_000 }))).await?;
    let cookie = session["session_cookie"].as_str().context("no session")?.to_owned();
    let create = request(client, stack, Method::POST, paths::CREATE_API_KEY).header("Cookie", cookie);
    let created = json_of(create.json(&json!({}))).await?;
    Ok(created["api_key"].as_str().context("no key")?.to_owned())
}

fn make_clip(folder: &TempDir) -> Result<Vec<u8>> {
    let path = folder.path().join("clip.mp4");
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-y", "-loglevel", "error", "-f", "lavfi", "-i"]);
    ffmpeg.arg(format!("testsrc2=size=1280x720:rate=30:duration={CLIP_SECONDS}"));
    ffmpeg.args(["-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast"]).arg(&path);
    ensure!(ffmpeg.status()?.success(), "ffmpeg could not make the clip");
    Ok(std::fs::read(path)?)
}

async fn publish(client: &Client, stack: &Stack, key: &str, clip: Vec<u8>) -> Result<api::PublicUrls> {
    let form = fixtures::Form::new().file("file", "clip.mp4", &clip);
    let upload = request(client, stack, Method::POST, paths::UPLOAD_VIDEO).bearer_auth(key);
    let upload = upload.header("Content-Type", fixtures::Form::content_type()).body(form.body());
    let uploaded = json_of(upload).await?;
    let uuid = uploaded["content_uuid"].as_str().with_context(|| format!("the upload: {uploaded}"))?;
    let started = Instant::now();
    loop {
        let path = format!("{}?content_uuid={uuid}", paths::UPLOAD_STATUS);
        let status = json_of(request(client, stack, Method::GET, &path).bearer_auth(key)).await?;
        let status: api::UploadStatus = serde_json::from_value(status)?;
        match (&status.content.state, status.content.urls) {
            (ContentState::Published, Some(urls)) => return Ok(urls),
            (ContentState::Processing, _) => {}
            (state, _) => anyhow::bail!("the clip is {state:?}"),
        }
        ensure!(started.elapsed() < Duration::from_mins(5), "the clip was not published");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}
