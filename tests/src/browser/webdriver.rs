//! A headless Chromium, driven through chromedriver by the few calls of WebDriver that the tests need.
//!
//! The calls are plain JSON over HTTP, for which the suite already has a client. fantoccini would add some thirty
//! crates, among them a second TLS library in C, for a connection on the loopback address.

use anyhow::{Context, Result, ensure};
use dev::{ProcessGroup, tied_to_parent};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

const READY_WITHIN: Duration = Duration::from_secs(20);
const SCRIPT_MILLISECONDS: u64 = 30_000;

/// WebDriver's names of the keys that have no character.
pub mod keys {
    pub const TAB: char = '\u{e004}';
    pub const ENTER: char = '\u{e007}';
    pub const SHIFT: char = '\u{e008}';
    pub const CONTROL: char = '\u{e009}';
    pub const ESCAPE: char = '\u{e00c}';
    pub const END: char = '\u{e010}';
    pub const LEFT: char = '\u{e012}';
    pub const UP: char = '\u{e013}';
    pub const RIGHT: char = '\u{e014}';
    pub const DOWN: char = '\u{e015}';
}

/// A browser with one window. It ends when this is dropped, because it is connected to chromedriver by a pipe.
#[derive(Debug)]
pub struct Browser {
    session: String,
    client: Client,
    _driver: ProcessGroup,
}

impl Browser {
    /// Starts chromedriver and Chromium, with a profile in this folder.
    pub async fn start(folder: &Path) -> Result<Self> {
        let port = dev::free_port()?;
        std::fs::create_dir_all(folder)?;
        let mut command = tied_to_parent(Path::new("chromedriver"));
        command.arg(format!("--port={port}"));
        // Files that a killed browser leaves behind are removed with the folder.
        command.env("TMPDIR", folder);
        let driver = ProcessGroup::start("chromedriver", command, folder.join("chromedriver.log"))
            .context("chromedriver is not installed. Run `ops/dev/setup tests`.")?;
        let client = dev::http_client();
        let base = format!("http://127.0.0.1:{port}");
        until_ready(&client, &base).await?;
        let request = capabilities(&folder.join("profile"));
        let opened = value(client.post(format!("{base}/session")).json(&request)).await?;
        let id = opened["sessionId"].as_str().context("no session")?;
        let browser = Self { session: format!("{base}/session/{id}"), client, _driver: driver };
        browser.post("/timeouts", &json!({ "script": SCRIPT_MILLISECONDS })).await?;
        Ok(browser)
    }

    /// Prepares the browser for another test: opens a new window instead of the old one, and deletes the data of this
    /// site, cached files, cookies, permissions and log entries.
    pub(super) async fn renew(&self, site: &str) -> Result<()> {
        let window = self.post("/window/new", &json!({ "type": "tab" })).await?;
        value(self.client.delete(format!("{}/window", self.session))).await?;
        self.post("/window", &json!({ "handle": window["handle"] })).await?;
        let storage = json!({ "origin": site, "storageTypes": "all" });
        self.devtools("Storage.clearDataForOrigin", &storage).await?;
        for forget in ["Network.clearBrowserCache", "Network.clearBrowserCookies", "Browser.resetPermissions"] {
            self.devtools(forget, &json!({})).await?;
        }
        for kind in ["browser", "performance"] {
            self.log(kind).await?;
        }
        Ok(())
    }

    pub async fn open(&self, url: &str) -> Result<()> {
        self.post("/url", &json!({ "url": url })).await.map(drop)
    }

    /// Calls a method of the DevTools protocol.
    pub async fn devtools(&self, method: &str, parameters: &Value) -> Result<Value> {
        self.post("/goog/cdp/execute", &json!({ "cmd": method, "params": parameters })).await
    }

    /// Presses a key, by the name that DevTools has for it, in the element that has the focus.
    pub async fn press(&self, key: &str, code: &str) -> Result<()> {
        for kind in ["keyDown", "keyUp"] {
            self.devtools("Input.dispatchKeyEvent", &json!({ "type": kind, "key": key, "code": code })).await?;
        }
        Ok(())
    }

    /// Types these keys in the element that has the focus, as a keyboard does. `keys` has those without a character.
    pub async fn type_keys(&self, keys: &str) -> Result<()> {
        let presses =
            keys.chars().flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })));
        self.act(presses.collect()).await
    }

    /// Presses a key while another one, such as `keys::SHIFT`, is held.
    pub async fn press_with(&self, held: char, key: char) -> Result<()> {
        let presses = [("keyDown", held), ("keyDown", key), ("keyUp", key), ("keyUp", held)];
        self.act(presses.map(|(kind, key)| json!({ "type": kind, "value": key })).to_vec()).await
    }

    async fn act(&self, presses: Vec<Value>) -> Result<()> {
        let actions = json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": presses }] });
        self.post("/actions", &actions).await.map(drop)
    }

    /// Presses the mouse button at a point of the window and holds it.
    pub async fn hold(&self, (x, y): (f64, f64)) -> Result<()> {
        let event = json!({ "type": "mousePressed", "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        self.devtools("Input.dispatchMouseEvent", &event).await.map(drop)
    }

    /// Moves the mouse to a point of the window while its button is held.
    pub async fn drag_to(&self, (x, y): (f64, f64)) -> Result<()> {
        let event = json!({ "type": "mouseMoved", "x": x, "y": y, "button": "left", "buttons": 1 });
        self.devtools("Input.dispatchMouseEvent", &event).await.map(drop)
    }

    /// Gives the window the size and the pixel density of a device.
    pub async fn resize(&self, width: u32, height: u32) -> Result<()> {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics).await.map(drop)
    }

    pub async fn reload(&self) -> Result<()> {
        self.post("/refresh", &json!({})).await.map(drop)
    }

    /// Clicks in the middle of the element that the selector finds.
    pub async fn click(&self, selector: &str) -> Result<()> {
        let path = format!("{}/click", self.element_path(selector).await?);
        self.post(&path, &json!({})).await.map(drop)
    }

    /// Chooses a file in a field of the document, as a user does.
    pub async fn choose_file(&self, selector: &str, file: &Path) -> Result<()> {
        let path = format!("{}/value", self.element_path(selector).await?);
        self.post(&path, &json!({ "text": file })).await.map(drop)
    }

    /// Makes all later calls work on the document in this frame.
    pub async fn enter_frame(&self, selector: &str) -> Result<()> {
        let frame = self.element(selector).await?;
        self.post("/frame", &json!({ "id": frame })).await.map(drop)
    }

    async fn element_path(&self, selector: &str) -> Result<String> {
        let element = self.element(selector).await?;
        let id = element.as_object().and_then(|element| element.values().next()?.as_str()).context("no element")?;
        Ok(format!("/element/{id}"))
    }

    async fn element(&self, selector: &str) -> Result<Value> {
        self.post("/element", &json!({ "using": "css selector", "value": selector })).await
    }

    /// Runs the body of a function and returns its value. A promise is awaited.
    pub async fn run(&self, script: &str) -> Result<Value> {
        let script = json!({ "script": script, "args": [] });
        self.post("/execute/sync", &script).await
    }

    /// Returns the log entries since the last call. The kinds are `browser` (the console) and `performance` (the
    /// network).
    pub async fn log(&self, kind: &str) -> Result<Vec<Value>> {
        let log = self.post("/se/log", &json!({ "type": kind })).await?;
        Ok(log.as_array().context("the log is not a list")?.clone())
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let url = format!("{}{path}", self.session);
        value(self.client.request(Method::POST, url).json(body)).await
    }
}

async fn until_ready(client: &Client, base: &str) -> Result<()> {
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
        // Chromium has no sandbox when it runs as root. It opens nothing but the stack of the test.
        "--no-sandbox",
        "--disable-dev-shm-usage",
        // Chromium ends with chromedriver, even if that is killed.
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

/// Returns the value of WebDriver's answer, or its error message.
async fn value(request: reqwest::RequestBuilder) -> Result<Value> {
    let response = request.send().await?;
    let succeeded = response.status().is_success();
    let answer: Value = response.json().await?;
    let message = answer["value"]["message"].as_str().unwrap_or_default();
    ensure!(succeeded, "the browser answered: {message}");
    Ok(answer["value"].clone())
}
