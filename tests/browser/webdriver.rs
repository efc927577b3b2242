//! A headless Chromium, driven through chromedriver by the few calls of WebDriver that the tests need.
//!
//! Plain JSON over the client that is here already: fantoccini would bring some thirty crates more, a second TLS library
//! in C among them, for a connection on the loopback address.

use anyhow::{Context, Result, ensure};
use dev::{Group, unless_orphaned};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

const READY_WITHIN: Duration = Duration::from_secs(20);
const SCRIPT_MILLISECONDS: u64 = 30_000;

/// A browser with one window. It ends with this: it hangs on chromedriver by a pipe.
#[derive(Debug)]
pub struct Browser {
    session: String,
    client: Client,
    _driver: Group,
}

impl Browser {
    /// Starts both, with a profile in that folder.
    pub async fn start(folder: &Path) -> Result<Self> {
        let port = dev::free_port()?;
        std::fs::create_dir_all(folder)?;
        let mut command = unless_orphaned(Path::new("chromedriver"));
        command.arg(format!("--port={port}"));
        // What a browser that is ended leaves lying goes with the folder.
        command.env("TMPDIR", folder);
        let driver = Group::start(command, &folder.join("chromedriver.log"))
            .context("chromedriver must be here: `dev/setup browser` installs it")?;
        let client = dev::http_client();
        let base = format!("http://127.0.0.1:{port}");
        ready(&client, &base).await?;
        let wanted = capabilities(&folder.join("profile"));
        let opened = value(client.post(format!("{base}/session")).json(&wanted)).await?;
        let id = opened["sessionId"].as_str().context("no session")?;
        let browser = Self {
            session: format!("{base}/session/{id}"),
            client,
            _driver: driver,
        };
        browser
            .post("/timeouts", &json!({ "script": SCRIPT_MILLISECONDS }))
            .await?;
        Ok(browser)
    }

    pub async fn open(&self, url: &str) -> Result<()> {
        self.post("/url", &json!({ "url": url })).await.map(drop)
    }

    pub async fn reload(&self) -> Result<()> {
        self.post("/refresh", &json!({})).await.map(drop)
    }

    /// A click of the mouse in the middle of what the selector finds.
    pub async fn click(&self, selector: &str) -> Result<()> {
        let wanted = json!({ "using": "css selector", "value": selector });
        let found = self.post("/element", &wanted).await?;
        let id = found
            .as_object()
            .and_then(|found| found.values().next()?.as_str())
            .context("no element")?;
        let path = format!("/element/{id}/click");
        self.post(&path, &json!({})).await.map(drop)
    }

    /// What the body of a function gives; a promise is waited for.
    pub async fn run(&self, script: &str) -> Result<Value> {
        let script = json!({ "script": script, "args": [] });
        self.post("/execute/sync", &script).await
    }

    /// The entries since the last call, of the kinds `browser` (the console) or `performance` (the network).
    pub async fn log(&self, kind: &str) -> Result<Vec<Value>> {
        let log = self.post("/se/log", &json!({ "type": kind })).await?;
        Ok(log.as_array().context("the log is no list")?.clone())
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let url = format!("{}{path}", self.session);
        value(self.client.request(Method::POST, url).json(body)).await
    }
}

async fn ready(client: &Client, base: &str) -> Result<()> {
    let deadline = Instant::now() + READY_WITHIN;
    while client.get(format!("{base}/status")).send().await.is_err() {
        ensure!(Instant::now() < deadline, "chromedriver does not answer");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

fn capabilities(profile: &Path) -> Value {
    let profile = format!("--user-data-dir={}", profile.display());
    let arguments = [
        "--headless=new",
        "--disable-gpu",
        "--mute-audio",
        // As root there is no other way, and it opens nothing but the stack of the test.
        "--no-sandbox",
        "--disable-dev-shm-usage",
        // Chromium ends when chromedriver does, however that ends.
        "--remote-debugging-pipe",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        &profile,
    ];
    json!({ "capabilities": { "alwaysMatch": {
        "browserName": "chrome",
        "goog:chromeOptions": { "args": arguments },
        "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
    }}})
}

/// What WebDriver answers; its errors are told.
async fn value(request: reqwest::RequestBuilder) -> Result<Value> {
    let response = request.send().await?;
    let succeeded = response.status().is_success();
    let answer: Value = response.json().await?;
    ensure!(
        succeeded,
        "the browser: {}",
        answer["value"]["message"].as_str().unwrap_or_default()
    );
    Ok(answer["value"].clone())
}
