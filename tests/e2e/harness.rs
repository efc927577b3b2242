//! What every end-to-end test has at hand: the stack, accounts of its own, and a look at what is stored.

use anyhow::{Context, Result, ensure};
use contract::api::{MintSession, SessionMinted};
use contract::limits::LARGE_UPLOADS_AT_ONCE;
use contract::paths;
use dev::{Options, Stack, StackEnv, Variant};
use libtest_mimic::Trial;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, SemaphorePermit};

/// More of them at once would get 503 for no fault of their test; two are left to the small ones.
const LARGE_UPLOADS: usize = LARGE_UPLOADS_AT_ONCE - 2;

/// The secret of the origins before the stack's own, as if it were being replaced at this moment.
pub const PREVIOUS_ORIGIN_SECRET: &str = "0123456789abcdef0123456789abcdef-before";

pub struct Harness {
    pub client: Client,
    next_account: AtomicU64,
    next_unique: AtomicU64,
    large_uploads: Semaphore,
    /// Everything secret that was ever handed out, for the search at the end.
    secrets: Mutex<Vec<String>>,
    stack: Stack,
    runtime: Runtime,
    /// Goes behind the stack, which writes to it until it has ended.
    folder: Folder,
}

/// A folder that goes when this does.
struct Folder(PathBuf);

/// The tests, and the stack they run on; none while they are only listed.
pub struct Suite {
    harness: Option<Arc<Harness>>,
    pub trials: Vec<Trial>,
}

/// A signed-in account of one test.
pub struct Account {
    pub id: u64,
    pub channel_id: u64,
    pub cookie: String,
    harness: Arc<Harness>,
}

/// An answer with its body read.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: reqwest::header::HeaderMap,
    pub bytes: Vec<u8>,
}

impl Harness {
    /// Boots a stack of that name. Its keys may ask as often as tests do.
    pub fn start(name: &str) -> Result<Self> {
        Self::start_with_key_rate(name, 1_000_000)
    }

    /// Boots a stack of that name, whose keys may ask so often in ten seconds.
    pub fn start_with_key_rate(name: &str, key_rate: u32) -> Result<Self> {
        let runtime = Runtime::new()?;
        let folder = format!("clipgate-e2e-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let options = Options {
            port: dev::free_port()?,
            state: folder.clone(),
            variant: Variant::Development,
            vars: vec![(
                "ORIGIN_SECRET_PREVIOUS".to_owned(),
                PREVIOUS_ORIGIN_SECRET.to_owned(),
            )],
            key_rate: Some(key_rate),
            origins: Vec::new(),
            published: None,
        };
        let stack = runtime.block_on(Stack::boot(options, |step| eprintln!("stack: {step}")))?;
        let secrets = Mutex::new(Vec::new());
        // Account numbers below are the stack's own.
        let next_account = AtomicU64::new(1_000);
        Ok(Self {
            client: dev::http_client(),
            next_account,
            next_unique: AtomicU64::new(1),
            large_uploads: Semaphore::new(LARGE_UPLOADS),
            secrets,
            stack,
            runtime,
            folder: Folder(folder),
        })
    }

    pub fn run<Test, Running>(self: &Arc<Self>, test: Test) -> Result<()>
    where
        Test: FnOnce(Arc<Self>) -> Running,
        Running: Future<Output = Result<()>>,
    {
        self.runtime.block_on(test(Arc::clone(self)))
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

    /// Changes rows behind the Worker's back, by a route of the development build.
    pub async fn change(&self, sql: String) -> Result<()> {
        let changed = send(self.request(Method::POST, "/dev/change").body(sql)).await?;
        ensure!(changed.status == 200, "{changed:?}");
        Ok(())
    }

    pub async fn get(&self, path: &str) -> Result<Answer> {
        send(self.request(Method::GET, path)).await
    }

    /// A request with a Bearer key, its use counted.
    pub async fn with_key(&self, path: &str, key: &str) -> Result<Answer> {
        send(self.request(Method::GET, path).bearer_auth(key)).await
    }

    /// A request of the site's back end.
    pub fn service(&self, method: Method, path: &str) -> RequestBuilder {
        self.request(method, path)
            .bearer_auth(self.env().get("SERVICE_TOKEN"))
    }

    pub async fn mint(&self, wanted: &MintSession) -> Result<SessionMinted> {
        let answer = send(self.service(Method::POST, paths::SESSIONS).json(wanted)).await?;
        ensure!(answer.status == 200, "minting: {answer:?}");
        let minted: SessionMinted = serde_json::from_slice(&answer.bytes)?;
        self.remember_secret(
            minted
                .session_cookie
                .split_once('=')
                .map_or("", |(_, token)| token),
        );
        Ok(minted)
    }

    pub async fn account(self: &Arc<Self>) -> Result<Account> {
        self.account_with_limit(None).await
    }

    pub async fn account_with_limit(
        self: &Arc<Self>,
        daily_upload_limit: Option<u32>,
    ) -> Result<Account> {
        let id = self.next_account.fetch_add(1, Ordering::Relaxed);
        let minted = self
            .mint(&MintSession {
                account_id: id,
                daily_upload_limit,
                ttl_seconds: None,
            })
            .await?;
        let harness = Arc::clone(self);
        Ok(Account {
            id,
            channel_id: minted.channel_id,
            cookie: minted.session_cookie,
            harness,
        })
    }

    pub fn remember_secret(&self, secret: &str) {
        self.secrets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(secret.to_owned());
    }

    pub fn secrets(&self) -> Vec<String> {
        self.secrets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// One number out of the local D1, read from its file.
    pub fn count(&self, sql: &str, parameter: u64) -> Result<u64> {
        let connection = self.local_store("d1/miniflare-D1DatabaseObject")?;
        Ok(connection
            .query_row(sql, [i64::try_from(parameter)?], |row| row.get::<_, i64>(0))?
            .cast_unsigned())
    }

    /// The database that miniflare keeps a local service in, to be read.
    pub fn local_store(&self, service: &str) -> Result<Connection> {
        let store = self.local_store_if_any(service)?;
        store.with_context(|| format!("{service} has no local file"))
    }

    /// The same of a service that may not have been used yet.
    pub fn local_store_if_any(&self, service: &str) -> Result<Option<Connection>> {
        let folder = self.folder.0.join("storage/v3").join(service);
        let files =
            std::fs::read_dir(&folder)?.filter_map(|file| file.ok().map(|file| file.path()));
        let is_database = |path: &PathBuf| {
            path.extension()
                .is_some_and(|extension| extension == "sqlite")
                && !path.ends_with("metadata.sqlite")
        };
        let Some(path) = files.into_iter().find(is_database) else {
            return Ok(None);
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        Ok(Some(connection))
    }

    /// A number that no other test gets: for tokens, sizes and whatever else must be told apart.
    pub fn unique(&self) -> u64 {
        self.next_unique.fetch_add(1, Ordering::Relaxed)
    }

    /// Leave to send one upload of more than a few kilobytes.
    pub async fn large_upload(&self) -> Result<SemaphorePermit<'_>> {
        Ok(self.large_uploads.acquire().await?)
    }

    /// Leave to send so many of them at once.
    pub async fn large_uploads(&self, count: u32) -> Result<SemaphorePermit<'_>> {
        Ok(self.large_uploads.acquire_many(count).await?)
    }

    /// What the Worker logged of a request.
    pub async fn logged(&self, request_id: &str) -> Result<Value> {
        for _ in 0..100 {
            let log = std::fs::read_to_string(self.stack.log())?;
            let mut lines = log.lines().filter(|line| line.contains(request_id));
            if let Some(line) = lines.next() {
                // Behind the Worker's name.
                let json = line.find('{').map_or(line, |start| &line[start..]);
                return Ok(serde_json::from_str(json)?);
            }
            // The console is written behind the answer; this waits for it and for nothing else.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        anyhow::bail!("nothing is logged of request {request_id}")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Left for whoever looks into a failure, when asked to.
        if std::env::var_os("KEEP_STATE").is_none() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

impl Suite {
    pub fn new(harness: Option<Arc<Harness>>) -> Self {
        Self {
            harness,
            trials: Vec::new(),
        }
    }

    pub fn add<Test, Running>(&mut self, name: &str, test: Test)
    where
        Test: FnOnce(Arc<Harness>) -> Running + Send + 'static,
        Running: Future<Output = Result<()>>,
    {
        let harness = self.harness.clone();
        self.trials.push(Trial::test(name, move || {
            let harness = harness.ok_or("the tests are only listed")?;
            harness
                .run(test)
                .map_err(|error| format!("{error:#}").into())
        }));
    }

    /// A test that no other may disturb, nor it the others: it boots a stack for itself alone.
    pub fn add_on_its_own_stack<Test, Running>(&mut self, name: &'static str, test: Test)
    where
        Test: FnOnce(Arc<Harness>) -> Running + Send + 'static,
        Running: Future<Output = Result<()>>,
    {
        self.add_on(Harness::start, name, test);
    }

    /// A test that boots its own stack, in its own way.
    pub fn add_on<Test, Running>(
        &mut self,
        start: fn(&str) -> Result<Harness>,
        name: &'static str,
        test: Test,
    ) where
        Test: FnOnce(Arc<Harness>) -> Running + Send + 'static,
        Running: Future<Output = Result<()>>,
    {
        self.trials.push(Trial::test(name, move || {
            let own = start(&name.replace("::", "-"));
            let outcome = own.and_then(|harness| Arc::new(harness).run(test));
            outcome.map_err(|error| format!("{error:#}").into())
        }));
    }
}

impl Account {
    /// A same-origin JSON POST of the signed-in user, as a program sends it.
    pub async fn post(&self, path: &str) -> Result<Answer> {
        let request = self
            .harness
            .request(Method::POST, path)
            .header("Cookie", &self.cookie)
            .json(&json!({}));
        let answer = send(request).await?;
        if let Some(key) = answer.json()?["api_key"].as_str() {
            self.harness.remember_secret(key);
        }
        Ok(answer)
    }

    /// A new key.
    pub async fn create_key(&self) -> Result<String> {
        let answer = self.post(paths::CREATE_API_KEY).await?;
        ensure!(answer.status == 200, "creating a key: {answer:?}");
        Ok(answer.json()?["api_key"]
            .as_str()
            .context("the answer has no key")?
            .to_owned())
    }
}

impl Answer {
    pub fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.bytes).with_context(|| format!("not JSON: {self:?}"))
    }

    pub fn code(&self) -> Result<String> {
        Ok(self.json()?["error_message_code"]
            .as_str()
            .unwrap_or_default()
            .to_owned())
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

pub async fn send(request: RequestBuilder) -> Result<Answer> {
    let response: Response = request.send().await?;
    let (status, headers) = (response.status(), response.headers().clone());
    Ok(Answer {
        status,
        headers,
        bytes: response.bytes().await?.to_vec(),
    })
}

/// Fails unless the answer has this status and this code.
pub fn ensure_refused(answer: &Answer, status: u16, code: &str) -> Result<()> {
    ensure!(
        answer.status.as_u16() == status && answer.code()? == code,
        "expected {status} {code}: {answer:?}"
    );
    ensure!(
        answer.json()?["success"] == false,
        "a failure says so: {answer:?}"
    );
    Ok(())
}
