//! One-time tokens in Chromium: a page of another origin uploads over a connection that breaks, a page without a script
//! posts a form, and the test page of the documentation shows progress, verdict and state.

use super::accessibility::{HEIGHT, WIDTHS, ensure_is_as_wide_as_the_window, ensure_no_violations};
use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::boxes::atom;
use reqwest::Client;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tests::browser::{BorrowedBrowser, BrowserStack, TUS_JS_CLIENT};
use tests::{ConnectionFaults, FaultyNetwork, NetworkFault, browser, documented_program, documented_scripts, until};

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

/// The page that prints the code of these tests.
const GUIDE: &str = "publish/direct-uploads.md";

/// The line of the guide's script that a page without modules replaces.
const IMPORT: &str = "import { Upload } from \"tus-js-client\";\n";
/// The library, the response of the reader's own server, and what the script prints.
const AROUND_TUS_JS_CLIENT: &str = "window.printed = [];
    const { Upload } = tus;
    const fetch = async () => Response.json(CREATED);
    const console = { log: (text) => printed.push(text) };";
/// The values that the guide's script for small files needs.
const BEFORE_SMALL_FILE: &str = "const { token, upload_url } = CREATED;
    const file = document.querySelector('input[type=file]').files[0];";
const AFTER_SMALL_FILE: &str = "return { success, content_uuid, error_message_code };";

/// Finds the last text that the script for tus-js-client prints: the UUID of the video, or the error.
const OUTCOME: &str = "return printed.find((text) => !text.endsWith('%'))";
const IS_HALF_SENT: &str = "return printed.some((text) => parseInt(text) >= 50)";

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

/// Creates a direct upload whose resumable upload goes through this network.
async fn create_over(network: &FaultyNetwork, stack: &BrowserStack) -> Result<Value> {
    let mut created = create(stack, stack.base()).await?;
    created["tus_endpoint"] = json!(format!("http://{}{}", network.address, paths::RESUMABLE_DIRECT_UPLOAD));
    Ok(created)
}

fn breaking() -> ConnectionFaults {
    ConnectionFaults { request: vec![(CUT_AFTER, NetworkFault::Reset)], ..ConnectionFaults::default() }
}

/// Opens a page with a field in which a file is chosen.
async fn choose(browser: &BorrowedBrowser<'_>, stack: &BrowserStack, file: &Path) -> Result<()> {
    // This page has no policy that restricts its requests.
    browser.open(&format!("{}{}", stack.base(), paths::HEALTH)).await?;
    browser.run(FIELD).await?;
    browser.choose_file("input[type=file]", file).await
}

/// Returns the guide's scripts, for tus-js-client and for small files, as they run with a direct upload.
fn scripts(created: &Value) -> Result<[String; 2]> {
    let scripts = documented_scripts(GUIDE)?;
    let [resumable, small] = scripts.as_slice() else {
        anyhow::bail!("the guide has other scripts than this test expects: {scripts:?}");
    };
    let (_, resumable) = resumable.split_once(IMPORT).context("the script does not import its library")?;
    Ok([
        format!("const CREATED = {created};\n{AROUND_TUS_JS_CLIENT}\n{resumable}"),
        format!("const CREATED = {created};\n{BEFORE_SMALL_FILE}\n{small}\n{AFTER_SMALL_FILE}"),
    ])
}

/// Opens a page, and starts the guide's script for tus-js-client with this file.
async fn start(browser: &BorrowedBrowser<'_>, stack: &BrowserStack, file: &Path, created: &Value) -> Result<()> {
    choose(browser, stack, file).await?;
    browser.load(TUS_JS_CLIENT).await?;
    let [script, _] = scripts(created)?;
    browser.run(&script).await.map(drop)
}

/// Returns the UUID of the video, once the script for tus-js-client has ended.
async fn uploaded(browser: &BorrowedBrowser<'_>) -> Result<String> {
    let look = async || Ok(browser.run(OUTCOME).await?.as_str().map(str::to_owned));
    until(WITHIN, look, || "the upload does not end".to_owned()).await
}

#[browser]
async fn a_page_of_another_origin_uploads_over_a_connection_that_breaks(stack: Arc<BrowserStack>) -> Result<()> {
    let (folder, browser) = (stack.new_folder()?, stack.browser().await?);
    let network = FaultyNetwork::to_each(stack.base().trim_start_matches("http://"), breaking).await?;
    let created = create_over(&network, &stack).await?;
    start(&browser, &stack, &write_clip(&stack, &folder, FILE)?, &created).await?;
    stack.until_published(&uploaded(&browser).await?).await?;
    let (sent, broken) = (network.counts.sent(), network.counts.broken());
    ensure!(broken >= (FILE / CUT_AFTER) as u64, "{sent} bytes were sent over {broken} broken connections");
    Ok(())
}

#[browser]
async fn an_upload_continues_after_the_page_was_reloaded(stack: Arc<BrowserStack>) -> Result<()> {
    let (folder, browser) = (stack.new_folder()?, stack.browser().await?);
    let slow = || ConnectionFaults { bytes_per_second: Some(SLOW.unsigned_abs()), ..ConnectionFaults::default() };
    let network = FaultyNetwork::to_each(stack.base().trim_start_matches("http://"), slow).await?;
    let created = create_over(&network, &stack).await?;
    let clip = write_clip(&stack, &folder, FILE)?;
    start(&browser, &stack, &clip, &created).await?;
    let is_half_sent = async || Ok((browser.run(IS_HALF_SENT).await? == true).then_some(()));
    until(WITHIN, is_half_sent, || "half of the file is not sent".to_owned()).await?;
    start(&browser, &stack, &clip, &created).await?;
    let uuid = uploaded(&browser).await?;
    let first = browser.run("return printed[0]").await?;
    ensure!(first != "0 %", "the upload began again: {first}");
    stack.until_published(&uuid).await.map(drop)
}

#[browser]
async fn only_a_page_of_the_allowed_origin_uploads_a_small_file(stack: Arc<BrowserStack>) -> Result<()> {
    let (folder, browser) = (stack.new_folder()?, stack.browser().await?);
    let network = FaultyNetwork::to_each(stack.base().trim_start_matches("http://"), ConnectionFaults::default).await?;
    let clip = write_clip(&stack, &folder, 3_000_000)?;
    for (origin, is_allowed) in [(stack.base(), true), ("https://app.example", false)] {
        let mut created = create(&stack, origin).await?;
        created["upload_url"] = json!(format!("http://{}{}", network.address, paths::DIRECT_UPLOAD));
        choose(&browser, &stack, &clip).await?;
        let [_, script] = scripts(&created)?;
        let outcome = browser.run(&script).await;
        let is_uploaded = outcome.as_ref().is_ok_and(|outcome| outcome["content_uuid"].is_string());
        ensure!(is_uploaded == is_allowed, "{origin}: {outcome:?}");
    }
    Ok(())
}

#[browser]
async fn a_page_without_a_script_posts_a_form(stack: Arc<BrowserStack>) -> Result<()> {
    let (folder, browser) = (stack.new_folder()?, stack.browser().await?);
    let created = create(&stack, stack.base()).await?;
    let token = created["token"].as_str().context("no token")?;
    let endpoint = format!("{}{}", stack.base(), paths::DIRECT_UPLOAD);
    let form = documented_program(GUIDE, "html")?.replace("UPLOAD_URL", &endpoint).replace("cgd_…", token);
    browser.open(&format!("{}{}", stack.base(), paths::HEALTH)).await?;
    browser.run(&format!("document.body.innerHTML = {}", json!(form))).await?;
    browser.choose_file("input[name=file]", &write_clip(&stack, &folder, 3_000_000)?).await?;
    browser.click("form button").await?;
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
