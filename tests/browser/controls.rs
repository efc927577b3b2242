//! The player's own controls: the keyboard, and scrubbing with a preview picture at the pointer.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tests::browser::{Browser, BrowserStack};
use tests::{browser, until};

const WITHIN: Duration = Duration::from_secs(30);

/// Returns the middle of the time line, and the distance to its ends.
const TIME_LINE: &str = "const box = document.querySelector('media-time-range')?.getBoundingClientRect();
    const video = document.querySelector('video');
    return box && box.width > 0 && video.duration > 0 && video.textTracks[0]?.cues?.length
        ? [box.x + box.width / 2, box.y + box.height / 2, box.width / 2] : null;";

/// Returns the picture above the pointer, if it is visible, and its shown part.
const PREVIEW: &str = "const range = document.querySelector('media-time-range');
    const preview = range.shadowRoot.querySelector('media-preview-thumbnail');
    const picture = preview?.shadowRoot.querySelector('img');
    if (!picture?.naturalWidth || !preview.checkVisibility({ visibilityProperty: true })) return null;
    const box = preview.getBoundingClientRect();
    return box.width > 0 ? { source: picture.src, part: getComputedStyle(picture).transform, width: box.width } : null;";

async fn wait_for(browser: &Browser, script: &str, what: &str) -> Result<Value> {
    let look = async || Ok(Some(browser.run(script).await?).filter(|value| !value.is_null() && *value != json!(false)));
    until(WITHIN, look, || what.to_owned()).await
}

#[browser]
async fn scrubbing_shows_the_frame_at_the_pointer(stack: Arc<BrowserStack>) -> Result<()> {
    let urls = &stack.content().await?.urls;
    let browser = stack.browser().await?;
    browser.open(&urls.page).await?;
    let line = wait_for(&browser, TIME_LINE, "there is no time line").await?;
    let number = |index: usize| line[index].as_f64().context("no number");
    let (middle, y, reach) = (number(0)?, number(1)?, number(2)?);
    let at = |part: f64| (middle + part * reach, y);
    browser.hold(at(-0.95)).await?;
    let mut parts = Vec::new();
    for part in [-0.9, 0.9] {
        browser.drag_to(at(part)).await?;
        let is_new = |preview: &Value| !parts.contains(&preview["part"]);
        let look = async || Ok(Some(browser.run(PREVIEW).await?).filter(|found| !found.is_null() && is_new(found)));
        let preview = until(WITHIN, look, || "no new picture above the pointer".to_owned()).await?;
        ensure!(preview["source"] == urls.storyboard.as_deref().context("no storyboard")?, "{preview}");
        parts.push(preview["part"].clone());
    }
    let is_at_end = "const video = document.querySelector('video'); return video.currentTime > 0.85 * video.duration";
    wait_for(&browser, is_at_end, "the video did not follow the pointer").await?;
    println!("the parts of the storyboard at both ends: {parts:?}");
    Ok(())
}

#[browser]
async fn the_keyboard_controls_the_player(stack: Arc<BrowserStack>) -> Result<()> {
    let urls = &stack.content().await?.urls;
    let browser = stack.browser().await?;
    browser.open(&urls.page).await?;
    wait_for(&browser, TIME_LINE, "there is no time line").await?;
    browser.run("document.querySelector('media-controller').focus()").await?;
    browser.press("m", "KeyM").await?;
    wait_for(&browser, "return document.querySelector('video').muted", "M did not mute").await?;
    browser.press("k", "KeyK").await?;
    wait_for(&browser, "return !document.querySelector('video').paused", "K did not play").await?;
    browser.press("k", "KeyK").await?;
    wait_for(&browser, "return document.querySelector('video').paused", "K did not pause").await?;
    // The clip is shorter than the step.
    browser.press("ArrowRight", "ArrowRight").await?;
    wait_for(&browser, "const v = document.querySelector('video'); return v.currentTime >= v.duration - 0.1", "→")
        .await?;
    browser.press("ArrowLeft", "ArrowLeft").await?;
    wait_for(&browser, "return document.querySelector('video').currentTime === 0", "←").await.map(drop)
}

#[browser]
async fn the_link_and_the_embed_code_can_be_copied(stack: Arc<BrowserStack>) -> Result<()> {
    let urls = &stack.content().await?.urls;
    let browser = stack.browser().await?;
    // Reading the clipboard needs a permission that pages do not have.
    let parameters =
        json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": stack.base() });
    browser.devtools("Browser.grantPermissions", &parameters).await?;
    browser.open(&urls.page).await?;
    wait_for(&browser, "return document.documentElement.className === 'scripted'", "the script did not run").await?;
    browser.click("[data-copy=link]").await?;
    let copied = "return document.querySelector('[role=status]').textContent";
    wait_for(&browser, copied, "nothing was copied").await?;
    ensure!(browser.run("return navigator.clipboard.readText()").await? == urls.page.as_str());
    browser.click("summary").await?;
    browser.click("[data-copy=code]").await?;
    let expected = format!("<iframe src=\"{}\"", urls.embed);
    let is_code = format!("return navigator.clipboard.readText().then(text => text.startsWith({}))", json!(expected));
    wait_for(&browser, &is_code, "the code was not copied").await.map(drop)
}
