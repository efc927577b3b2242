//! A private stack, and what nearly every test needs from it: accounts, requests, the log.

use crate::http::{HttpAnswer, send};
use crate::stack_kind::{StackLimits, TestCache};
use crate::stored_state::TestStackState;
use anyhow::{Context, Result, ensure};
use contract::api::{MintSession, SessionMinted};
use contract::paths;
use dev::{Stack, StackEnv, StackOptions, WorkerVariant};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::RwLock;

/// The number of bytes at the end of the log that are searched for a recent line. The whole log has megabytes.
const LOG_END_BYTES: u64 = 256 * 1024;

/// A running stack and the numbers that keep its tests apart.
pub struct TestStack {
    pub client: Client,
    next_account: AtomicU64,
    next_unique: AtomicU64,
    /// Locked for writing by a sweep that must not overlap with another one.
    sweeping: RwLock<()>,
    /// Every secret that was handed out, for the search at the end.
    secrets: Mutex<Vec<String>>,
    /// The keys of origins, by their names.
    origin_keys: tokio::sync::Mutex<HashMap<String, String>>,
    stack: Stack,
    limits: StackLimits,
    cache: TestCache,
    /// Dropped after the stack, which writes to it until it has ended.
    folder: StateFolder,
}

/// A folder that is removed when this is dropped.
#[derive(Debug)]
struct StateFolder(PathBuf);

/// A signed-in account of one test.
#[derive(Clone)]
pub struct TestAccount {
    pub id: u64,
    pub channel_id: u64,
    pub cookie: String,
    pub stack: Arc<TestStack>,
}

impl std::fmt::Debug for TestStack {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TestStack").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl TestStack {
    /// Boots a stack with these limits, behind this cache.
    pub async fn boot(name: &str, limits: StackLimits, cache: TestCache) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("clipgate-{}-{name}", std::process::id()));
        Self::boot_in(StateFolder(folder), limits, cache, false).await
    }

    /// Ends the stack and boots it again with the same state.
    pub async fn restart(self) -> Result<Self> {
        self.restart_with(false, |_| Ok(())).await
    }

    /// Ends the stack, changes its state, and boots it again, open or closed to all but operators.
    pub async fn restart_with(
        self,
        is_closed: bool,
        change: impl FnOnce(&TestStackState) -> Result<()>,
    ) -> Result<Self> {
        let Self { stack, folder, limits, cache, next_account, next_unique, secrets, .. } = self;
        drop(stack);
        change(&TestStackState::in_folder(&folder.0))?;
        let booted = Self::boot_in(folder, limits, cache, is_closed).await?;
        Ok(Self { next_account, next_unique, secrets, ..booted })
    }

    async fn boot_in(folder: StateFolder, limits: StackLimits, cache: TestCache, is_closed: bool) -> Result<Self> {
        let mut vars = variables(limits, cache);
        vars.push(("CLOSED".to_owned(), is_closed.to_string()));
        let options = StackOptions {
            port: dev::free_port()?,
            has_cache: cache != TestCache::None,
            state: folder.0.clone(),
            variant: WorkerVariant::Development,
            vars,
            rates: limits.rates(),
            has_completions_queue: limits.has_completions_queue,
            origins: Vec::new(),
            shared_stack_env: None,
        };
        Ok(Self {
            client: dev::http_client(),
            // The stack itself uses the account numbers below.
            next_account: AtomicU64::new(1_000),
            next_unique: AtomicU64::new(1),
            sweeping: RwLock::default(),
            secrets: Mutex::default(),
            origin_keys: tokio::sync::Mutex::default(),
            stack: Stack::boot(options, |_| {}).await?,
            limits,
            cache,
            folder,
        })
    }

    pub fn env(&self) -> &StackEnv {
        &self.stack.env
    }

    pub fn folder(&self) -> &Path {
        &self.folder.0
    }

    /// `host:port`.
    pub fn address(&self) -> &str {
        self.env().get("BASE_URL").trim_start_matches("http://")
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.env().get("BASE_URL"))
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    pub async fn get(&self, path: &str) -> Result<HttpAnswer> {
        send(self.request(Method::GET, path)).await
    }

    /// Sends a GET with an API key.
    pub async fn get_with_key(&self, path: &str, key: &str) -> Result<HttpAnswer> {
        send(self.request(Method::GET, path).bearer_auth(key)).await
    }

    /// Returns a request of the site's back end.
    pub fn service_request(&self, method: Method, path: &str) -> RequestBuilder {
        self.request(method, path).bearer_auth(self.env().get("SERVICE_TOKEN"))
    }

    /// Changes rows behind the Worker's back, through a route of the development build.
    pub async fn change_rows(&self, sql: String) -> Result<()> {
        let answer = send(self.request(Method::POST, "/dev/change").body(sql)).await?;
        ensure!(answer.status == 200, "{answer:?}");
        Ok(())
    }

    /// Makes queued jobs that meet a condition look as if an origin had claimed and released them. They no longer count
    /// towards their channels' share of the queue.
    pub async fn pretend_claims(&self, condition: &str) -> Result<()> {
        // The sweep leaves them alone.
        let claimed = "attempt = 1, due_at_unix = enqueued_at_unix + 10800";
        self.change_rows(format!("UPDATE jobs SET {claimed} WHERE state = 'due' AND attempt = 0 AND {condition}")).await
    }

    /// Runs the sweep and returns its report.
    pub async fn sweep(&self) -> Result<Value> {
        let _shared = self.sweeping.read().await;
        self.sweep_now().await
    }

    /// Changes rows and runs the sweep, without a sweep of another test in between. For tests that check the report.
    pub async fn change_rows_and_sweep(&self, sql: String) -> Result<Value> {
        let _alone = self.sweeping.write().await;
        self.change_rows(sql).await?;
        self.sweep_now().await
    }

    async fn sweep_now(&self) -> Result<Value> {
        let answer = send(self.service_request(Method::POST, paths::SWEEP)).await?;
        ensure!(answer.status == 200, "{answer:?}");
        answer.json()
    }

    pub async fn create_session(&self, request: &MintSession) -> Result<SessionMinted> {
        let answer = send(self.service_request(Method::POST, paths::SESSIONS).json(request)).await?;
        ensure!(answer.status == 200, "creating a session: {answer:?}");
        let session: SessionMinted = serde_json::from_slice(&answer.bytes)?;
        self.remember_secret(session.session_cookie.split_once('=').map_or("", |(_, token)| token));
        Ok(session)
    }

    pub async fn account(self: &Arc<Self>) -> Result<TestAccount> {
        self.account_with_limit(None).await
    }

    pub async fn account_with_limit(self: &Arc<Self>, daily_upload_limit: Option<u32>) -> Result<TestAccount> {
        let id = self.next_account.fetch_add(1, Ordering::Relaxed);
        let request = MintSession { account_id: id, daily_upload_limit, channel_name: None, ttl_seconds: None };
        let session = self.create_session(&request).await?;
        let stack = Arc::clone(self);
        Ok(TestAccount { id, channel_id: session.channel_id, cookie: session.session_cookie, stack })
    }

    /// Returns the key of an origin, which is made when it is first needed.
    pub async fn origin_key(&self, name: &str) -> Result<String> {
        let mut keys = self.origin_keys.lock().await;
        if let Some(key) = keys.get(name) {
            return Ok(key.clone());
        }
        let key = self.new_origin_key(name).await?;
        keys.insert(name.to_owned(), key.clone());
        Ok(key)
    }

    /// Makes another key for an origin.
    pub async fn new_origin_key(&self, name: &str) -> Result<String> {
        let key = dev::create_origin_key(self.env().get("BASE_URL"), self.env().get("ADMIN_TOKEN"), name).await?;
        self.remember_secret(key.rsplit('_').next().unwrap_or_default());
        Ok(key)
    }

    pub fn remember_secret(&self, secret: &str) {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner).push(secret.to_owned());
    }

    pub fn secrets(&self) -> Vec<String> {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns a number that no other test gets, for tokens and sizes.
    pub fn unique(&self) -> u64 {
        self.next_unique.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns a video of a few kilobytes whose size no other upload has.
    pub fn small_video(&self) -> Vec<u8> {
        let number = self.unique();
        let size = 2_000 + usize::try_from(number).unwrap_or_default();
        fixtures::mp4(5_000, size, number.to_le_bytes()[0])
    }

    /// Returns an unused `upload_token`.
    pub fn token(&self) -> String {
        format!("00000000-0000-4000-8000-{:012x}", self.unique())
    }

    /// Returns the line that the Worker logged about the outcome of a request.
    pub async fn logged(&self, request_id: &str) -> Result<Value> {
        // The console is written after the answer was sent.
        let look = async || {
            let log = end_of_file(self.stack.log(), LOG_END_BYTES)?;
            let line = log.lines().find(|line| line.contains(request_id) && line.contains("\"duration_ms\""));
            Ok(line.and_then(logged_json))
        };
        crate::until(Duration::from_secs(10), look, || format!("nothing is logged about {request_id}")).await
    }
}

impl TestStack {
    /// Returns the lines that the Worker has logged about responses of this route, once there are this many.
    pub async fn logged_about(&self, path: &str, count: usize) -> Result<Vec<Value>> {
        let look = async || {
            let lines: Vec<Value> = self.logged_answers()?.into_iter().filter(|line| line["path"] == path).collect();
            Ok((lines.len() >= count).then_some(lines))
        };
        crate::until(Duration::from_secs(10), look, || format!("too little is logged about {path}")).await
    }

    /// Returns the lines that the Worker has logged about its answers so far.
    pub fn logged_answers(&self) -> Result<Vec<Value>> {
        let log = std::fs::read_to_string(self.stack.log())?;
        let answers = log.lines().filter(|line| line.contains("\"duration_ms\"")).filter_map(logged_json);
        Ok(answers.filter(|logged| logged["path"].is_string()).collect())
    }
}

/// Returns the variables of the Worker.
fn variables(limits: StackLimits, cache: TestCache) -> Vec<(String, String)> {
    let mut variables = vec![
        ("MAX_OPEN_UPLOADS".to_owned(), limits.open_uploads.to_string()),
        ("REQUIRE_CLASSIFIER".to_owned(), limits.requires_classifier.to_string()),
    ];
    if cache == TestCache::CacheForGood {
        // Nothing listens on this port, so every purge fails.
        variables.push(("CACHE_PURGE_URL".to_owned(), "http://127.0.0.1:9".to_owned()));
    }
    variables
}

/// Returns the event of a line of the log. wrangler writes the Worker's name before it, and colours errors.
pub(crate) fn logged_json(line: &str) -> Option<Value> {
    let json = line.get(line.find('{')?..=line.rfind('}')?)?;
    serde_json::from_str(json).ok()
}

/// Returns the last bytes of a file as text.
fn end_of_file(path: &Path, bytes: u64) -> Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(bytes)))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    Ok(String::from_utf8_lossy(&end).into_owned())
}

impl Drop for StateFolder {
    fn drop(&mut self) {
        // KEEP_STATE keeps the folder, so that a failure can be analysed.
        if std::env::var_os("KEEP_STATE").is_none() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

impl std::fmt::Debug for TestAccount {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TestAccount").field("id", &self.id).finish_non_exhaustive()
    }
}

impl TestAccount {
    /// Sends a same-origin JSON POST of the signed-in user, as a program would.
    pub async fn post(&self, path: &str) -> Result<HttpAnswer> {
        self.post_json(path, &json!({})).await
    }

    /// Sends a same-origin JSON POST with this body. Secrets in the answer are remembered.
    pub async fn post_json(&self, path: &str, body: &Value) -> Result<HttpAnswer> {
        let request = self.stack.request(Method::POST, path).header("Cookie", &self.cookie).json(body);
        let answer = send(request).await?;
        let fields = answer.json()?;
        for secret in ["api_key", "secret"].iter().filter_map(|name| fields[name].as_str()) {
            self.stack.remember_secret(secret.trim_start_matches("whsec_"));
        }
        Ok(answer)
    }

    /// Sends a GET of the signed-in user.
    pub async fn get(&self, path: &str) -> Result<HttpAnswer> {
        send(self.stack.request(Method::GET, path).header("Cookie", &self.cookie)).await
    }

    /// Creates a key and returns it.
    pub async fn create_key(&self) -> Result<String> {
        let answer = self.post(paths::CREATE_API_KEY).await?;
        ensure!(answer.status == 200, "creating a key: {answer:?}");
        Ok(answer.json()?["api_key"].as_str().context("the answer has no key")?.to_owned())
    }
}
