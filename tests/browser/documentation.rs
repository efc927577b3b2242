//! The documentation site: accessible, and searched without a server.

use super::accessibility::{HEIGHT, WIDTHS, ensure_is_as_wide_as_the_window, ensure_no_violations};
use anyhow::{Result, ensure};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tests::browser::BrowserStack;
use tests::{browser, until};

const PAGES: [&str; 13] = [
    "/docs",
    "/docs/publish/quick-start",
    "/docs/publish/upload",
    "/docs/publish/limits",
    "/docs/deploy",
    "/docs/internal-errors",
    "/docs/reference/uploads",
    "/docs/reference/uploads/upload_video",
    "/docs/reference/uploads/get_upload_status",
    "/docs/reference/webhook_events/on_content_published",
    "/docs/errors",
    "/docs/errors/rate_limited",
    "/docs/media",
];

/// The searches of readers, each with the page that must come first. The build of the site tests the index with them.
const SEARCHES: &str = include_str!("../../docs/site/searches.json");

/// Types into the search, and returns the first result once there is one.
fn search(text: &str) -> String {
    let text = json!(text);
    format!(
        "const field = document.querySelector('input[type=search]');
        if (field.value !== {text}) {{
            document.querySelector('form ul').replaceChildren();
            field.value = {text};
            field.dispatchEvent(new Event('input'));
        }}
        return document.querySelector('form li a')?.getAttribute('href') ?? null;"
    )
}

#[browser]
async fn the_documentation_is_accessible_at_any_width(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    for width in WIDTHS {
        browser.resize(width, HEIGHT).await?;
        for page in PAGES {
            let url = format!("{}{page}", stack.base());
            browser.open(&url).await?;
            ensure_no_violations(&browser, &url).await?;
            ensure_is_as_wide_as_the_window(&browser, &url).await?;
        }
    }
    Ok(())
}

#[browser]
async fn the_search_finds_a_page_and_opens_it(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    browser.open(&format!("{}/docs", stack.base())).await?;
    let script = search("upload_token");
    let found = async || Ok(browser.run(&script).await?.as_str().map(str::to_owned));
    let page = until(Duration::from_secs(30), found, || "the search found nothing".to_owned()).await?;
    browser.click("form li a").await?;
    let is_open = async || Ok((browser.run("return location.pathname").await? == json!(page)).then_some(()));
    until(Duration::from_secs(30), is_open, || format!("{page} was not opened")).await?;
    let mentions = browser.run("return document.querySelector('main').textContent.includes('upload_token')").await?;
    ensure!(mentions == json!(true), "{page} does not mention what was searched");
    Ok(())
}

#[browser]
async fn what_readers_search_for_finds_its_page_first(stack: Arc<BrowserStack>) -> Result<()> {
    let searches: BTreeMap<String, String> = serde_json::from_str(SEARCHES)?;
    let browser = stack.browser().await?;
    browser.open(&format!("{}/docs", stack.base())).await?;
    for (text, page) in &searches {
        let script = search(text);
        let found = async || Ok(browser.run(&script).await?.as_str().map(str::to_owned));
        let first = until(Duration::from_secs(30), found, || format!("nothing was found for {text}")).await?;
        ensure!(first == *page, "{text}: {first}, not {page}");
    }
    ensure!(searches.len() >= 10, "only {} searches", searches.len());
    Ok(())
}

#[browser]
async fn a_block_of_code_has_a_button_that_copies_it(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    browser.open(&format!("{}/docs/publish/upload", stack.base())).await?;
    // The clipboard belongs to the machine, so the page gets one of its own.
    let copy =
        "const clipboard = { value: { writeText: async (text) => { window.copied = text; } }, configurable: true };
        Object.defineProperty(navigator, 'clipboard', clipboard);
        document.querySelector('.code .copy')?.click();
        return window.copied ?? null;";
    let copied = async || Ok(browser.run(copy).await?.as_str().map(str::to_owned));
    let text = until(Duration::from_secs(30), copied, || "nothing was copied".to_owned()).await?;
    ensure!(text.starts_with("curl -sS ") && text.ends_with("file=@clip.mp4"), "{text}");
    Ok(())
}

#[browser]
async fn the_language_of_the_samples_stays_chosen_on_other_pages(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    browser.open(&format!("{}/docs/publish/thumbnails", stack.base())).await?;
    browser.click("#sample-1-python-tab").await?;
    let shown = "const samples = [...document.querySelectorAll('.sample')].filter((sample) => sample.offsetParent);
        return samples.map((sample) => sample.dataset.tab).join(' ');";
    ensure!(browser.run(shown).await? == json!("Python Python"), "not every group has changed");
    browser.open(&format!("{}/docs/publish/captions", stack.base())).await?;
    ensure!(browser.run(shown).await? == json!("Python Python Python"), "the choice is lost on another page");
    Ok(())
}
