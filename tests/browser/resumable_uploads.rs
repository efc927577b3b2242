//! Uploaders for web pages that know nothing about this service, in Chromium, over a connection that breaks: what they
//! upload is published and plays.

use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::boxes::atom;
use fixtures::cases;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tests::browser::{BorrowedBrowser, BrowserStack, TUS_JS_CLIENT};
use tests::{ConnectionFaults, FaultyNetwork, NetworkFault, browser, until};

/// The bytes after which each connection breaks.
const CUT_AFTER: usize = 6_000_000;
const FILE: usize = 25_000_000;

/// Adds a field for a file to the page.
const FIELD: &str = "const field = document.createElement('input');
    field.type = 'file';
    document.body.prepend(field);";

/// Uploads the chosen file with tus-js-client. `direct_uploads.rs` runs the script that a guide prints.
const WITH_TUS_JS_CLIENT: &str = "window.outcome = { offsets: [] };
    new tus.Upload(document.querySelector('input[type=file]').files[0], {
        endpoint: ENDPOINT,
        retryDelays: Array(20).fill(100),
        metadata: { caption: CAPTION, filename: 'clip.mp4', filetype: 'video/mp4' },
        headers: { Authorization: `Bearer ${KEY}` },
        onAfterResponse: (request, response) => {
            if (request.getMethod() === 'HEAD') outcome.offsets.push(Number(response.getHeader('Upload-Offset')));
            outcome.uuid = response.getHeader('Clipgate-Content-Uuid');
        },
        onSuccess: () => { outcome.succeeded = true; },
        onError: (error) => { outcome.failed = String(error); },
    }).start();";

/// The bytes that may be sent, in percent of the file. Over HTTP/1.1, which is all that the local runtime speaks,
/// Chromium by itself sends a request again that broke on a connection that an earlier request had used. The service
/// refuses the second one at once. But in the short form, the network is so fast that Chromium has sent most of it by
/// then, and each connection breaks soon after its first part.
fn most_percent_sent() -> u64 {
    cases(250, 115)
}

/// Uploads the chosen file with Uppy, which adds metadata of its own.
const WITH_UPPY: &str = "window.outcome = { offsets: [] };
    const uppy = new Uppy().use(Tus, {
        endpoint: ENDPOINT,
        retryDelays: Array(20).fill(100),
        headers: { Authorization: `Bearer ${KEY}` },
        onAfterResponse: (request, response) => {
            if (request.getMethod() === 'HEAD') outcome.offsets.push(Number(response.getHeader('Upload-Offset')));
            outcome.uuid = response.getHeader('Clipgate-Content-Uuid');
        },
    });
    const data = document.querySelector('input[type=file]').files[0];
    uppy.addFile({ name: data.name, type: data.type, data, meta: { caption: CAPTION } });
    uppy.upload().then(({ successful, failed }) => {
        outcome.succeeded = successful.length === 1;
        outcome.failed = failed[0]?.error;
    });";

const OUTCOME: &str = "return window.outcome";

/// The long form has a large file.
fn large_file() -> usize {
    cases(FILE, 1_000_000_000)
}

fn uploaded_within() -> Duration {
    Duration::from_mins(cases(1, 10))
}

/// A page of the service, and a file that is uploaded from it.
struct Page<'a> {
    stack: &'a BrowserStack,
    browser: BorrowedBrowser<'a>,
    network: FaultyNetwork,
    folder: TempDir,
}

impl<'a> Page<'a> {
    /// Opens the page through a network with these faults.
    async fn open(
        stack: &'a BrowserStack,
        file_bytes: usize,
        faults: impl FnMut() -> ConnectionFaults + Send + 'static,
    ) -> Result<Page<'a>> {
        let folder = stack.new_folder()?;
        let mut clip = std::fs::read(stack.clip())?;
        // No player reads this box. Its bytes differ, so that a part in the wrong place changes the hash.
        let padding: Vec<u8> = (0..file_bytes - clip.len()).map(|place| (place % 251).to_le_bytes()[0]).collect();
        clip.extend(atom(*b"free", &padding));
        std::fs::write(folder.path().join("clip.mp4"), clip)?;
        let network = FaultyNetwork::to_each(stack.base().trim_start_matches("http://"), faults).await?;
        let page = Self { stack, browser: stack.browser().await?, network, folder };
        // It loads nothing else. Otherwise, the browser keeps further connections for what comes later, with the faults
        // that they began with.
        page.browser.open(&page.url("/docs/llms.txt")).await?;
        page.choose().await?;
        Ok(page)
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.network.address)
    }

    async fn choose(&self) -> Result<()> {
        self.browser.run(FIELD).await?;
        self.browser.choose_file("input[type=file]", &self.folder.path().join("clip.mp4")).await
    }

    /// Starts a script that uploads the file.
    async fn start(&self, script: &str, caption: &str) -> Result<()> {
        let endpoint = self.url(paths::RESUMABLE_UPLOADS);
        let values = [("ENDPOINT", endpoint.as_str()), ("KEY", self.stack.key()), ("CAPTION", caption)];
        let values = values.map(|(name, value)| format!("const {name} = {};\n", json!(value)));
        self.browser.run(&(values.concat() + script)).await.map(drop)
    }

    /// Returns the outcome of the upload, once it has succeeded, and fails unless the video is published.
    async fn ensure_published(&self, caption: &str) -> Result<Value> {
        let look = async || {
            let outcome = self.browser.run(OUTCOME).await?;
            ensure!(outcome["failed"].is_null(), "{outcome}");
            Ok(Some(outcome).filter(|outcome| outcome["succeeded"] == true))
        };
        let outcome = until(uploaded_within(), look, || "the file is not uploaded".to_owned()).await?;
        let (sent, broken) = (self.network.counts.sent(), self.network.counts.broken());
        println!("{caption}: {sent} bytes were sent over {broken} broken connections, offsets {}", outcome["offsets"]);
        let content = self.stack.until_published(outcome["uuid"].as_str().context("no video")?).await?;
        self.browser.open(&content.urls.page).await?;
        let shown = self.browser.run("return document.querySelector('main').textContent").await?;
        ensure!(shown.as_str().is_some_and(|text| text.contains(caption)), "{shown}");
        Ok(outcome)
    }
}

fn breaking() -> ConnectionFaults {
    ConnectionFaults { request: vec![(CUT_AFTER, NetworkFault::Reset)], ..ConnectionFaults::default() }
}

/// In the long form, a line of 100 Mbit/s that is cut every three seconds.
fn cut_or_breaking() -> ConnectionFaults {
    let cut = ConnectionFaults {
        bytes_per_second: Some(12_500_000),
        lifetime: Some(Duration::from_secs(3)),
        ..ConnectionFaults::default()
    };
    cases(breaking(), cut)
}

/// Fails unless the upload has continued, each time further than before.
fn ensure_continued(outcome: &Value, times: usize) -> Result<()> {
    let offsets = outcome["offsets"].as_array().context("no offsets")?;
    let offsets: Vec<_> = offsets.iter().filter_map(Value::as_u64).collect();
    ensure!(offsets.len() >= times && offsets.last() > Some(&0) && offsets.is_sorted(), "{outcome}");
    Ok(())
}

#[browser]
async fn tus_js_client_in_a_page_survives_a_connection_that_breaks(stack: Arc<BrowserStack>) -> Result<()> {
    let page = Page::open(&stack, large_file(), cut_or_breaking).await?;
    page.browser.load(TUS_JS_CLIENT).await?;
    page.start(WITH_TUS_JS_CLIENT, "By tus-js-client").await?;
    let outcome = page.ensure_published("By tus-js-client").await?;
    let (sent, most) = (page.network.counts.sent(), large_file() as u64 * most_percent_sent() / 100);
    ensure!(sent <= most, "{sent} bytes were sent, and {most} may be");
    ensure_continued(&outcome, 4)
}

#[browser]
async fn uppy_survives_a_connection_that_breaks(stack: Arc<BrowserStack>) -> Result<()> {
    let page = Page::open(&stack, FILE, breaking).await?;
    page.browser.load_uppy(page.folder.path()).await?;
    page.start(WITH_UPPY, "By Uppy").await?;
    ensure_continued(&page.ensure_published("By Uppy").await?, FILE / CUT_AFTER)
}
