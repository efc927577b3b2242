//! A sensitive video is shown only after its warning has been read, on its page and in the player of other sites.

use super::accessibility::{HEIGHT, WIDTHS, ensure_is_as_wide_as_the_window, ensure_no_violations};
use anyhow::{Result, ensure};
use contract::api::{Member, UpdateContent};
use serde_json::json;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

const WARNING: &str = "return document.querySelector('.warning')?.innerText ?? null";

/// Whether anything of the video is loaded, and whether the keyboard reaches the player.
const HIDDEN: &str = "const video = document.querySelector('video');
    return { loaded: video.readyState, poster: video.poster, inert: document.querySelector('media-controller').inert };";

/// Waits until the video plays.
const PLAYS: &str = "const video = document.querySelector('video');
    return new Promise((resolve) => {
        const look = () => video.currentTime > 0.2 && !video.paused ? resolve(true) : setTimeout(look, 50);
        look();
    });";

#[browser]
async fn a_sensitive_video_plays_after_its_warning(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.publish().await?;
    let update = UpdateContent {
        is_sensitive: Member::Value(true),
        is_ai_generated: Member::Value(true),
        ..UpdateContent::of(content.status.content.content_uuid.as_str())
    };
    ensure!(stack.update(&update).await?.content.is_sensitive);
    let browser = stack.browser().await?;
    for url in [&content.urls.page, &content.urls.embed] {
        for width in WIDTHS {
            browser.resize(width, HEIGHT).await?;
            browser.open(url).await?;
            let warning = browser.run(WARNING).await?;
            ensure!(warning.as_str().is_some_and(|text| text.contains("Sensitive content")), "{url}: {warning}");
            ensure_no_violations(&browser, url).await?;
            ensure_is_as_wide_as_the_window(&browser, url).await?;
            let hidden = browser.run(HIDDEN).await?;
            ensure!(hidden == json!({ "loaded": 0, "poster": "", "inert": true }), "{url}: {hidden}");
        }
        browser.click(".warning button").await?;
        ensure!(browser.run(PLAYS).await? == true && browser.run(WARNING).await?.is_null());
        let focused = browser.run("return document.activeElement.localName").await?;
        ensure!(focused == "media-controller", "{focused}");
    }
    Ok(())
}
