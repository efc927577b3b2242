//! A deleted content is gone once the deletion returns, even for a browser that has just shown it.

use anyhow::{Context, Result, ensure};
use std::sync::Arc;
use tests::browser;
use tests::browser::{BrowserStack, BrowserTraffic};

const HEADING: &str = "return document.querySelector('h1').textContent";
const VIDEOS: &str = "return document.querySelectorAll('video').length";

#[browser]
async fn a_deleted_content_is_gone_at_once_and_its_page_says_so(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.publish().await?;
    let browser = stack.browser().await?;
    browser.open(&content.urls.page).await?;
    ensure!(browser.run(VIDEOS).await? == 1);
    stack.delete(&content).await?;
    let urls = &content.urls;
    let manifest = urls.dash.as_ref().context("no DASH manifest")?;
    for url in [&urls.page, &urls.video, &urls.hls, manifest, &urls.poster] {
        let answer = stack.client.get(url).send().await?;
        ensure!(answer.status() == 404, "{url}: {answer:?}");
    }
    browser.log("performance").await?;
    browser.reload().await?;
    ensure!(browser.run(HEADING).await? == "Nothing here");
    ensure!(browser.run(VIDEOS).await? == 0);
    let traffic = BrowserTraffic::from_log(&browser.log("performance").await?)?;
    let mut answers = traffic.responses_from(&urls.page);
    ensure!(answers.next().is_some_and(|answer| answer.status == 404), "{traffic:?}");
    Ok(())
}
