//! The documentation site: accessible, and searched without a server.

use super::accessibility::{HEIGHT, WIDTHS, ensure_is_as_wide_as_the_window, ensure_no_violations};
use anyhow::{Result, ensure};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tests::browser::BrowserStack;
use tests::{browser, until};

const PAGES: [&str; 7] = [
    "/docs",
    "/docs/quick-start",
    "/docs/reference/uploads",
    "/docs/reference/webhook_events",
    "/docs/errors",
    "/docs/errors/rate_limited",
    "/docs/media",
];

/// Types into the search, and returns the first result once there is one.
const SEARCH: &str = "const field = document.querySelector('input[type=search]');
    if (field.value !== 'upload_token') {
        field.value = 'upload_token';
        field.dispatchEvent(new Event('input'));
    }
    return document.querySelector('form li a')?.getAttribute('href') ?? null;";

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
    let found = async || Ok(browser.run(SEARCH).await?.as_str().map(str::to_owned));
    let page = until(Duration::from_secs(30), found, || "the search found nothing".to_owned()).await?;
    browser.click("form li a").await?;
    let is_open = async || Ok((browser.run("return location.pathname").await? == json!(page)).then_some(()));
    until(Duration::from_secs(30), is_open, || format!("{page} was not opened")).await?;
    let mentions = browser.run("return document.querySelector('main').textContent.includes('upload_token')").await?;
    ensure!(mentions == json!(true), "{page} does not mention what was searched");
    Ok(())
}
