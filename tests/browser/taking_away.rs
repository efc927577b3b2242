//! What its owner deletes is gone with the answer that says so, also for a browser that has just shown it.

use crate::Suite;
use crate::network::Traffic;
use crate::scene::Scene;
use anyhow::{Result, ensure};
use std::sync::Arc;

const HEADING: &str = "return document.querySelector('h1').textContent";
const VIDEOS: &str = "return document.querySelectorAll('video').length";

pub fn register(suite: &mut Suite) {
    suite.add(
        "taking_away::a_deleted_content_is_gone_at_once_and_its_page_says_so",
        a_deleted_content_is_gone_at_once_and_its_page_says_so,
    );
}

async fn a_deleted_content_is_gone_at_once_and_its_page_says_so(scene: Arc<Scene>) -> Result<()> {
    let content = scene.publish().await?;
    let browser = scene.browser().await?;
    browser.open(&content.urls.page).await?;
    ensure!(browser.run(VIDEOS).await? == 1);
    scene.delete(&content).await?;
    let urls = &content.urls;
    for url in [&urls.page, &urls.video, &urls.hls, &urls.poster] {
        let answer = scene.client.get(url).send().await?;
        ensure!(answer.status() == 404, "{url}: {answer:?}");
    }
    browser.log("performance").await?;
    browser.reload().await?;
    ensure!(browser.run(HEADING).await? == "Nothing here");
    ensure!(browser.run(VIDEOS).await? == 0);
    let traffic = Traffic::of(&browser.log("performance").await?)?;
    let mut answers = traffic.from(&urls.page);
    ensure!(
        answers.next().is_some_and(|answer| answer.status == 404),
        "{traffic:?}"
    );
    Ok(())
}
