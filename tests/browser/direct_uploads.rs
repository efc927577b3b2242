//! One-time tokens in Chromium: a page of another origin uploads over a connection that breaks, a page without a script
//! posts a form, and the test page of the documentation shows progress, verdict and state.

use super::accessibility::{HEIGHT, WIDTHS, ensure_is_as_wide_as_the_window, ensure_no_violations};
use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::boxes::atom;
use reqwest::Client;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tests::browser::{BorrowedBrowser, BrowserStack, TUS_JS_CLIENT};
use tests::{ConnectionFaults, FaultyNetwork, NetworkFault, browser, until};

/// The bytes after which each connection breaks.
const CUT_AFTER: usize = 6_000_000;
const FILE: usize = 20_000_000;
/// The bytes per second of a connection that is slow enough to be cut in the middle of the file.
const SLOW: i64 = 2_000_000;
const WITHIN: Duration = Duration::from_mins(1);

/// Adds a field for a file to a page without one.
const FIELD: &str = "const field = document.createElement('input');
    field.type = 'file';
    document.body.prepend(field);";

/// Uploads the chosen file with tus-js-client and a one-time token.
const UPLOAD: &str = "window.outcome = { offsets: [] };
    new tus.Upload(document.querySelector('input[type=file]').files[0], {
        endpoint: ENDPOINT,
        retryDelays: Array(20).fill(100),
        metadata: { caption: 'From another origin' },
        headers: { Authorization: `Bearer ${TOKEN}` },
        onAfterResponse: (request, response) => {
            if (request.getMethod() === 'HEAD') outcome.offsets.push(Number(response.getHeader('Upload-Offset')));
            outcome.uuid = response.getHeader('Clipgate-Content-Uuid');
        },
        onSuccess: () => { outcome.succeeded = true; },
        onError: (error) => {
            outcome.failed = String(error);
            outcome.code = error.originalResponse?.getHeader('Clipgate-Error-Code');
        },
    }).start();";

/// Posts the chosen file in a form, as a page without a script would.
const POST_FORM: &str = "const form = document.createElement('form');
    Object.assign(form, { method: 'post', enctype: 'multipart/form-data', action: ENDPOINT });
    const token = document.createElement('input');
    Object.assign(token, { type: 'hidden', name: 'direct_upload_token', value: TOKEN });
    const file = document.querySelector('input[type=file]');
    file.name = 'file';
    form.append(token, file);
    document.body.append(form);
    form.submit();";

/// Creates a direct upload for pages of this origin, and returns the response.
async fn create(stack: &BrowserStack, origin: &str) -> Result<Value> {
    let request = Client::new().post(format!("{}{}", stack.base(), paths::DIRECT_UPLOADS)).bearer_auth(stack.key());
    let wanted = json!({ "allowed_origin": origin, "user_may_set": ["caption"] });
    Ok(request.json(&wanted).send().await?.error_for_status()?.json().await?)
}

/// Writes a playable clip of this size. Its bytes differ, so that a part in the wrong place changes the hash.
fn write_clip(stack: &BrowserStack, folder: &TempDir, bytes: usize) -> Result<PathBuf> {
    let mut clip = std::fs::read(stack.clip())?;
    let padding: Vec<u8> = (0..bytes - clip.len()).map(|place| (place % 241).to_le_bytes()[0]).collect();
    clip.extend(atom(*b"free", &padding));
    let path = folder.path().join("clip.mp4");
    std::fs::write(&path, clip)?;
    Ok(path)
}

fn breaking() -> ConnectionFaults {
    ConnectionFaults { request: vec![(CUT_AFTER, NetworkFault::Reset)], ..ConnectionFaults::default() }
}

fn with_values(script: &str, endpoint: &str, token: &Value) -> String {
    format!("const ENDPOINT = {};\nconst TOKEN = {token};\n{script}", json!(endpoint))
}

/// Returns what the script has found out, once the upload has ended.
async fn outcome(browser: &BorrowedBrowser<'_>) -> Result<Value> {
    let look = async || {
        let outcome = browser.run("return window.outcome").await?;
        Ok(Some(outcome).filter(|outcome| outcome["succeeded"] == true || !outcome["failed"].is_null()))
    };
    until(WITHIN, look, || "the upload does not end".to_owned()).await
}

#[browser]
async fn a_page_of_another_origin_uploads_over_a_connection_that_breaks(stack: Arc<BrowserStack>) -> Result<()> {
    let (folder, browser) = (stack.new_folder()?, stack.browser().await?);
    let network = FaultyNetwork::to_each(stack.base().trim_start_matches("http://"), breaking).await?;
    let endpoint = format!("http://{}{}", network.address, paths::RESUMABLE_DIRECT_UPLOAD);
    let clip = write_clip(&stack, &folder, FILE)?;
    for (origin, is_allowed) in [(stack.base(), true), ("https://app.example", false)] {
        let token = create(&stack, origin).await?["token"].clone();
        // This page has no policy that restricts its requests.
        browser.open(&format!("{}{}", stack.base(), paths::HEALTH)).await?;
        browser.run(FIELD).await?;
        browser.choose_file("input[type=file]", &clip).await?;
        browser.load(TUS_JS_CLIENT).await?;
        browser.run(&with_values(UPLOAD, &endpoint, &token)).await?;
        let outcome = outcome(&browser).await?;
        ensure!((outcome["succeeded"] == true) == is_allowed, "{origin}: {outcome}");
        if is_allowed {
            let offsets = outcome["offsets"].as_array().map_or(0, Vec::len);
            ensure!(offsets >= FILE / CUT_AFTER, "{outcome}");
            stack.until_published(outcome["uuid"].as_str().context("no video")?).await?;
        }
    }
    Ok(())
}

#[browser]
async fn a_page_without_a_script_posts_a_form(stack: Arc<BrowserStack>) -> Result<()> {
    let (folder, browser) = (stack.new_folder()?, stack.browser().await?);
    let created = create(&stack, stack.base()).await?;
    browser.open(&format!("{}{}", stack.base(), paths::HEALTH)).await?;
    browser.run(FIELD).await?;
    browser.choose_file("input[type=file]", &write_clip(&stack, &folder, 3_000_000)?).await?;
    let endpoint = format!("{}{}", stack.base(), paths::DIRECT_UPLOAD);
    browser.run(&with_values(POST_FORM, &endpoint, &created["token"])).await?;
    let answered = async || {
        let text = browser.run("return document.body?.innerText ?? ''").await?;
        Ok(text.as_str().filter(|text| text.contains("content_uuid")).map(str::to_owned))
    };
    let text = until(WITHIN, answered, || "the form got no answer".to_owned()).await?;
    let answer: Value = serde_json::from_str(text.trim())?;
    ensure!(answer["success"] == true && answer["content_state"] == "processing", "{answer}");
    Ok(())
}

/// The fields of the test page, filled in with a response.
fn fill_in(created: &Value) -> String {
    format!(
        "document.querySelector('#created').value = {};
         document.querySelector('#caption').value = 'From the test page';",
        json!(created.to_string())
    )
}

/// Limits the browser's upload rate, in bytes per second; -1 means no limit.
async fn limit_network(browser: &BorrowedBrowser<'_>, bytes_per_second: i64) -> Result<()> {
    let conditions = json!({
        "offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": bytes_per_second,
    });
    browser.devtools("Network.emulateNetworkConditions", &conditions).await.map(drop)
}

#[browser]
async fn the_test_page_continues_after_a_cut_and_shows_progress_verdict_and_state(
    stack: Arc<BrowserStack>,
) -> Result<()> {
    let (folder, browser) = (stack.new_folder()?, stack.browser().await?);
    let page = format!("{}/docs/publish/try-direct-upload", stack.base());
    for width in WIDTHS {
        browser.resize(width, HEIGHT).await?;
        browser.open(&page).await?;
        ensure_no_violations(&browser, &page).await?;
        ensure_is_as_wide_as_the_window(&browser, &page).await?;
    }
    let shown = |text: &'static str| {
        let browser = &browser;
        async move {
            let look = async || {
                let shown = browser.run("return document.querySelector('#outcome').textContent").await?;
                Ok(shown.as_str().filter(|shown| shown.contains(text)).map(str::to_owned))
            };
            until(WITHIN, look, || format!("the page does not say {text:?}")).await
        }
    };
    let created = create(&stack, stack.base()).await?;
    let wrong = folder.path().join("notes.txt");
    std::fs::write(&wrong, "not a video ".repeat(1_000))?;
    browser.run(&fill_in(&created)).await?;
    browser.choose_file("#file", &wrong).await?;
    browser.click("#try button[type=submit]").await?;
    shown("content_file_invalid_format").await?;
    browser.choose_file("#file", &write_clip(&stack, &folder, FILE)?).await?;
    // Otherwise the upload would be over before its connection can be cut.
    limit_network(&browser, SLOW).await?;
    browser.click("#try button[type=submit]").await?;
    shown(" % of 20.0 MB").await?;
    browser.click("#cut").await?;
    shown("The connection is cut").await?;
    limit_network(&browser, -1).await?;
    let verdict = shown("Accepted as").await?;
    ensure!(verdict.contains("State: "), "{verdict}");
    shown("State: published").await.map(drop)
}
