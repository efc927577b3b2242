//! A stack with an origin, to which a clip is uploaded as a user would, and the browsers that play the result.

use super::webdriver::Browser;
use crate::{StackLimits, until};
use anyhow::{Context, Result, ensure};
use contract::ContentState;
use contract::api::{CaptionsChange, MintSession, PublicUrls, SessionMinted, UpdateContent, UploadStatus};
use contract::job::Quality;
use contract::paths;
use dev::{OriginOptions, Stack, StackOptions, WorkerVariant};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use std::io::Write;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::OnceCell;

pub const CLIP_SECONDS: f64 = 3.0;
pub const CAPTION: &str = "A <b>test</b> picture & a \"tone\" #colours";

/// The clip takes some seconds to process. This allows for a machine that is busy with something else.
const PUBLISHED_WITHIN: Duration = Duration::from_mins(2);

/// The stack of the suite.
pub struct BrowserStack {
    pub client: Client,
    key: String,
    clip: PathBuf,
    shared: OnceCell<PlayableContent>,
    browsers: AtomicU32,
    /// The accounts of tests that need their own.
    accounts: AtomicU32,
    /// The browsers that no test uses at the moment. They are kept, because starting one takes longer than most tests.
    idle_browsers: Mutex<Vec<Browser>>,
    stack: Stack,
    /// Dropped last, because the other fields have files in these folders.
    _work: WorkFolders,
    folder: TempDir,
}

/// The browser of a running test. When this is dropped, other tests can use the browser.
#[derive(Debug)]
pub struct BorrowedBrowser<'a> {
    /// Present until this is dropped.
    browser: Option<Browser>,
    stack: &'a BrowserStack,
}

/// The origins' work folders, which are outside the stack's folder.
struct WorkFolders(Vec<PathBuf>);

/// A published content and its addresses.
#[derive(Clone, Debug)]
pub struct PlayableContent {
    pub status: UploadStatus,
    pub urls: PublicUrls,
}

impl Deref for BorrowedBrowser<'_> {
    type Target = Browser;

    #[expect(clippy::expect_used, reason = "the browser is only taken out when this is dropped")]
    fn deref(&self) -> &Browser {
        self.browser.as_ref().expect("the browser is there until this is dropped")
    }
}

impl Drop for BorrowedBrowser<'_> {
    fn drop(&mut self) {
        self.stack.idle_browsers().extend(self.browser.take());
    }
}

impl BrowserStack {
    pub async fn boot() -> Result<Self> {
        Self::boot_with(&[]).await
    }

    /// Boots a stack whose origin has these settings.
    pub async fn boot_with(settings: &[(&str, &str)]) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("clipgate-browser-").tempdir()?;
        let clip = folder.path().join("clip.mp4");
        make_clip(&clip)?;
        let options = StackOptions {
            port: dev::free_port()?,
            has_cache: dev::is_cache_installed(),
            state: folder.path().join("stack"),
            variant: WorkerVariant::Development,
            vars: Vec::new(),
            // All tests share one key, and poll statuses without a limit.
            rates: StackLimits::NONE.rates(),
            has_completions_queue: false,
            origins: vec![OriginOptions {
                name: "origin".to_owned(),
                vars: settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            }],
            shared_stack_env: None,
        };
        let stack = Stack::boot(options, |_| {}).await?;
        let work = stack.origins.iter().map(|origin| origin.work_dir.clone()).collect();
        let client = dev::http_client();
        Ok(Self {
            key: create_key(&client, &stack).await?,
            client,
            clip,
            shared: OnceCell::new(),
            browsers: AtomicU32::new(0),
            accounts: AtomicU32::new(0),
            idle_browsers: Mutex::default(),
            _work: WorkFolders(work),
            stack,
            folder,
        })
    }

    /// Makes a folder for the files of one run of a test.
    pub fn new_folder(&self) -> Result<TempDir> {
        Ok(tempfile::tempdir_in(&self.folder)?)
    }

    pub fn base(&self) -> &str {
        self.stack.env.get("BASE_URL")
    }

    /// The page that signs a browser in as the account that all tests share.
    pub fn sign_in_url(&self) -> &str {
        self.stack.env.get("SIGN_IN_URL")
    }

    /// Changes rows behind the Worker's back, through a route of the development build.
    pub async fn change_rows(&self, sql: String) -> Result<()> {
        let request = self.client.post(format!("{}/dev/change", self.base())).body(sql);
        request.send().await?.error_for_status()?;
        Ok(())
    }

    /// Returns a request with the secret of the operator.
    pub fn moderator_request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.base()));
        request.bearer_auth(self.stack.env.get("ADMIN_TOKEN"))
    }

    /// Creates an account without a key, and a session of its user.
    pub async fn new_session(&self) -> Result<SessionMinted> {
        self.new_session_named(None).await
    }

    /// Like `new_session`. The channel of the account gets this name.
    pub async fn new_session_named(&self, channel_name: Option<&str>) -> Result<SessionMinted> {
        // The tests share account 1.
        let account_id = 2 + u64::from(self.accounts.fetch_add(1, Ordering::Relaxed));
        let channel_name = channel_name.map(str::to_owned);
        let session = MintSession { account_id, daily_upload_limit: None, channel_name, ttl_seconds: Some(3_600) };
        let request = self.client.post(format!("{}{}", self.base(), paths::SESSIONS)).json(&session);
        let answer = request.bearer_auth(self.stack.env.get("SERVICE_TOKEN")).send().await?.error_for_status()?;
        Ok(answer.json().await?)
    }

    /// The key of the account that all tests share.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The clip that is uploaded unless a test has its own.
    pub fn clip(&self) -> &Path {
        &self.clip
    }

    /// Returns a browser with a new window. Takes an idle browser, or starts a new one.
    pub async fn browser(&self) -> Result<BorrowedBrowser<'_>> {
        let left = self.idle_browsers().pop();
        let browser = match left {
            // It may have crashed in its last test.
            Some(browser) if browser.renew(self.base()).await.is_ok() => browser,
            _ => self.start_browser().await?,
        };
        Ok(BorrowedBrowser { browser: Some(browser), stack: self })
    }

    async fn start_browser(&self) -> Result<Browser> {
        let number = self.browsers.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.path().join(format!("browser-{number}"));
        Browser::start(&folder).await
    }

    fn idle_browsers(&self) -> MutexGuard<'_, Vec<Browser>> {
        self.idle_browsers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a content for all tests that do not change it.
    pub async fn content(&self) -> Result<&PlayableContent> {
        self.shared.get_or_try_init(|| self.publish()).await
    }

    /// Uploads the clip and waits until it is published.
    pub async fn publish(&self) -> Result<PlayableContent> {
        self.publish_file(&self.clip).await
    }

    /// Uploads a video and waits until it is published in all its qualities.
    pub async fn publish_file(&self, video: &Path) -> Result<PlayableContent> {
        let content = self.publish_first(video).await?;
        self.until_published(&content.status.content.content_uuid).await
    }

    /// Uploads a video and waits until it is published in at least its first quality.
    pub async fn publish_first(&self, video: &Path) -> Result<PlayableContent> {
        let answer = self.upload_by_curl(video)?;
        let uuid = answer["content_uuid"].as_str();
        self.until_public(uuid.with_context(|| format!("the upload: {answer}"))?, Quality::First).await
    }

    /// Waits until an accepted video is published in all its qualities.
    pub async fn until_published(&self, uuid: &str) -> Result<PlayableContent> {
        self.until_public(uuid, Quality::Full).await
    }

    async fn until_public(&self, uuid: &str, least: Quality) -> Result<PlayableContent> {
        let deadline = Instant::now() + PUBLISHED_WITHIN;
        loop {
            let status = self.status(uuid).await?;
            match (&status.content.state, &status.content.urls) {
                (ContentState::Published, Some(urls))
                    if [Some(least), Some(Quality::Full)].contains(&status.content.quality) =>
                {
                    let urls = urls.clone();
                    return Ok(PlayableContent { status, urls });
                }
                (ContentState::Processing | ContentState::Published, _) => {}
                _ => anyhow::bail!("the content was not published: {status:?}"),
            }
            ensure!(Instant::now() < deadline, "the content is still processed: {status:?}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    pub async fn status(&self, uuid: &str) -> Result<UploadStatus> {
        let path = format!("{}?content_uuid={uuid}", paths::UPLOAD_STATUS);
        let answer = self.with_key(Method::GET, &path).send().await?;
        Ok(answer.error_for_status()?.json().await?)
    }

    pub async fn update(&self, update: &UpdateContent) -> Result<UploadStatus> {
        let answer = self.with_key(Method::POST, paths::UPDATE_CONTENT).json(update).send().await?;
        Ok(answer.error_for_status()?.json().await?)
    }

    pub async fn delete(&self, content: &PlayableContent) -> Result<()> {
        let uuid = &content.status.content.content_uuid;
        let request = self.with_key(Method::POST, paths::DELETE_CONTENT);
        let request = request.json(&json!({ "content_uuid": uuid }));
        request.send().await?.error_for_status()?;
        Ok(())
    }

    /// Sends captions for a content, and waits until viewers see them.
    pub async fn send_captions(&self, content: &PlayableContent, language: &str, file: &str) -> Result<UploadStatus> {
        let uuid = &content.status.content.content_uuid;
        let form = reqwest::multipart::Form::new().text("content_uuid", uuid.clone());
        let form = form.text("language", language.to_owned()).text("captions_file", file.to_owned());
        self.with_key(Method::POST, paths::UPDATE_CAPTIONS).multipart(form).send().await?.error_for_status()?;
        let made = async || {
            let status = self.status(uuid).await?;
            Ok(Some(status).filter(|status| status.content.captions_change != Some(CaptionsChange::Pending)))
        };
        until(PUBLISHED_WITHIN, made, || "the captions are still pending".to_owned()).await
    }

    fn with_key(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.base());
        self.client.request(method, url).bearer_auth(&self.key)
    }

    /// The key goes through standard input, because every user can see the arguments of a program.
    fn upload_by_curl(&self, video: &Path) -> Result<Value> {
        let mut curl = Command::new("curl")
            .args(["-sS", "--config", "-", "--form-string"])
            .arg(format!("caption={CAPTION}"))
            .arg("-F")
            .arg(format!("file=@{}", video.display()))
            .arg(format!("{}{}", self.base(), paths::UPLOAD_VIDEO))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting curl")?;
        let mut configuration = curl.stdin.take().context("curl has no standard input")?;
        writeln!(configuration, "oauth2-bearer = {}", self.key)?;
        drop(configuration);
        let output = curl.wait_with_output()?;
        ensure!(output.status.success(), "curl: {}", output.status);
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

impl std::fmt::Debug for BrowserStack {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("BrowserStack").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Drop for WorkFolders {
    fn drop(&mut self) {
        for folder in &self.0 {
            // An origin that did not start has no folder.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

async fn create_key(client: &Client, stack: &Stack) -> Result<String> {
    let url = format!("{}{}", stack.env.get("BASE_URL"), paths::CREATE_API_KEY);
    let request = client.post(url).json(&json!({}));
    let request = request.header("Cookie", stack.env.get("SESSION_COOKIE"));
    let answer: Value = request.send().await?.error_for_status()?.json().await?;
    let key = answer["api_key"].as_str().context("no key")?;
    Ok(key.to_owned())
}

/// Makes a clip with moving colours and a tone: large enough for several renditions, and with few details.
fn make_clip(path: &Path) -> Result<()> {
    let picture = format!("testsrc2=size=320x180:rate=30:duration={CLIP_SECONDS},scale=1280:720");
    let tone = format!("sine=frequency=440:duration={CLIP_SECONDS}");
    let status = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error"])
        .args(["-f", "lavfi", "-i", &picture, "-f", "lavfi", "-i", &tone])
        .args(["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"])
        .arg(path)
        .status()
        .context("starting ffmpeg")?;
    ensure!(status.success(), "ffmpeg: {status}");
    Ok(())
}
