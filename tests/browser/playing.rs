//! The page plays when a person starts it, and fetches everything from its own host.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use tests::browser;
use tests::browser::{Browser, BrowserStack, BrowserTraffic, CAPTION, CLIP_SECONDS};

/// Waits for the first frame and returns the properties of the video.
const LOADED: &str = "const video = document.querySelector('video');
    return new Promise((resolve, reject) => {
        const loaded = () => resolve({ width: video.videoWidth, height: video.videoHeight,
            duration: video.duration, source: video.currentSrc, ready: video.readyState });
        const failed = () => reject(new Error('the video fails: ' + (video.error || {}).message));
        video.addEventListener('error', failed);
        video.querySelector('source:last-of-type')?.addEventListener('error', failed);
        video.readyState >= 2 ? loaded() : video.addEventListener('loadeddata', loaded);
    });";

/// Waits until the video has played for half a second. Returns its time before and after.
const ADVANCED: &str = "const video = document.querySelector('video');
    return new Promise((resolve, reject) => {
        const start = video.currentTime;
        video.addEventListener('error', () => reject(new Error(video.error.message)));
        video.addEventListener('timeupdate', () => {
            if (video.currentTime >= start + 0.5 && !video.paused) resolve([start, video.currentTime]);
        });
    });";

/// Changes the page to the form that a browser without HLS would use, because Chromium's HLS cannot be switched off.
const WITHOUT_HLS: &str = "document.querySelector('source[type=\"application/vnd.apple.mpegurl\"]').remove();
    document.querySelector('video').load();";

/// Changes the page to the form that a browser without MP4 would use.
const WITHOUT_MP4: &str = "document.querySelector('source[type=\"video/mp4\"]').remove();
    document.querySelector('video').load();";

/// Plays to the end and returns the heights of the frames in the order in which they appeared.
const HEIGHTS: &str = "const video = document.querySelector('video'), heights = [];
    const frame = (_, data) => {
        if (heights.at(-1) !== data.height) heights.push(data.height);
        video.requestVideoFrameCallback(frame);
    };
    video.requestVideoFrameCallback(frame);
    return new Promise((resolve, reject) => {
        video.addEventListener('error', () => reject(new Error(video.error.message)));
        video.addEventListener('ended', () => resolve(heights));
    });";

/// Jumps to 0.8 s before the end and plays from there to the end.
const PLAYED_THE_END: &str = "const video = document.querySelector('video');
    return new Promise((resolve, reject) => {
        video.addEventListener('error', () => reject(new Error(video.error.message)));
        video.addEventListener('ended', () => resolve(video.currentTime));
        video.addEventListener('seeked', () => video.play().catch(reject), { once: true });
        video.currentTime = video.duration - 0.8;
    });";

#[browser]
async fn a_clip_uploaded_by_curl_plays_on_its_page(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.content().await?;
    let browser = stack.browser().await?;
    browser.open(&content.urls.page).await?;
    let properties = ensure_loaded(&browser).await?;
    ensure!(properties["source"] == content.urls.video.as_str(), "{properties}");
    let poster = "const picture = new Image(); picture.src = document.querySelector('video').poster;
        return picture.decode().then(() => [picture.naturalWidth, picture.naturalHeight]);";
    let poster = browser.run(poster).await?;
    ensure!(poster[0].as_u64() > Some(0), "the poster is empty: {poster}");
    let title = "return document.querySelector('h1').textContent";
    ensure!(browser.run(title).await? == CAPTION);
    browser.click("media-controller").await?;
    let times = browser.run(ADVANCED).await?;
    println!("the page plays: {times}");
    ensure_plays_to_the_end(&browser).await
}

#[browser]
async fn the_page_uses_no_other_host_and_violates_no_policy(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.content().await?;
    let browser = stack.browser().await?;
    browser.open(&content.urls.page).await?;
    ensure_loaded(&browser).await?;
    browser.click("media-controller").await?;
    ensure_plays_to_the_end(&browser).await?;
    let console = browser.log("browser").await?;
    ensure!(console.is_empty(), "messages on the console: {console:?}");
    let traffic = BrowserTraffic::from_log(&browser.log("performance").await?)?;
    // The other two belong to Chromium: its empty window and the buttons of its player.
    let known = [stack.base(), "chrome://", "data:image/"];
    let known = |url: &str| known.iter().any(|start| url.starts_with(start));
    let foreign: Vec<_> = traffic.requested.iter().filter(|url| !known(url)).collect();
    ensure!(foreign.is_empty(), "requests to other hosts: {foreign:?}");
    ensure!(
        traffic.requested.contains(&content.urls.poster),
        "the requests of the page are not in the log: {traffic:?}"
    );
    let failed = traffic.responses.iter().find(|answer| answer.status >= 400);
    ensure!(failed.is_none(), "{failed:?}");
    let colour = "const style = getComputedStyle(document.querySelector('.stage'));
        return style.backgroundColor";
    let colour = browser.run(colour).await?;
    ensure!(colour != "rgba(0, 0, 0, 0)", "the style of the page is not applied");
    Ok(())
}

#[browser]
async fn the_picture_has_its_full_height_from_the_first_frame(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.content().await?;
    let browser = stack.browser().await?;
    browser.open(&content.urls.page).await?;
    ensure_loaded(&browser).await?;
    browser.click("media-controller").await?;
    let heights = browser.run(HEIGHTS).await?;
    ensure!(heights == json!([720]), "{heights}");
    Ok(())
}

#[browser]
async fn hls_plays_in_the_browser_too(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.content().await?;
    let browser = stack.browser().await?;
    browser.open(&content.urls.page).await?;
    browser.run(WITHOUT_MP4).await?;
    let properties = browser.run(LOADED).await?;
    ensure!(properties["source"] == content.urls.hls.as_str(), "{properties}");
    browser.click("media-controller").await?;
    ensure_plays_to_the_end(&browser).await
}

#[browser]
async fn the_mp4_is_played_and_sought_in_ranges_without_hls(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.content().await?;
    let browser = stack.browser().await?;
    browser.open(&content.urls.page).await?;
    browser.run(WITHOUT_HLS).await?;
    let properties = ensure_loaded(&browser).await?;
    ensure!(properties["source"] == content.urls.video.as_str(), "{properties}");
    browser.click("media-controller").await?;
    ensure_plays_to_the_end(&browser).await?;
    let traffic = BrowserTraffic::from_log(&browser.log("performance").await?)?;
    let answers: Vec<_> = traffic.responses_from(&content.urls.video).collect();
    println!("the responses for the MP4: {answers:?}");
    ensure!(!answers.is_empty(), "{traffic:?}");
    for answer in answers {
        let range = answer.content_range.as_deref().unwrap_or_default();
        ensure!(answer.status == 206 && range.starts_with("bytes "), "{answer:?}");
    }
    Ok(())
}

#[browser]
async fn the_page_plays_without_its_script(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.content().await?;
    let browser = stack.browser().await?;
    browser.devtools("Network.enable", &json!({})).await?;
    browser.devtools("Network.setBlockedURLs", &json!({ "urls": ["*/scripts/*"] })).await?;
    browser.open(&content.urls.page).await?;
    ensure_loaded(&browser).await?;
    let state = "return [document.querySelector('video').controls, !!customElements.get('media-controller'),
        getComputedStyle(document.querySelector('[data-copy]')).visibility]";
    ensure!(browser.run(state).await? == json!([true, false, "hidden"]), "the script was not blocked");
    browser.click("video").await?;
    ensure_plays_to_the_end(&browser).await
}

async fn ensure_plays_to_the_end(browser: &Browser) -> Result<()> {
    let end = browser.run(PLAYED_THE_END).await?;
    let reached = end.as_f64().is_some_and(|end| end > CLIP_SECONDS - 0.3);
    ensure!(reached, "the video ended at {end}");
    Ok(())
}

async fn ensure_loaded(browser: &Browser) -> Result<Value> {
    let properties: Value = browser.run(LOADED).await?;
    println!("the browser loaded {properties}");
    ensure!(properties["ready"].as_u64() >= Some(2), "{properties}");
    ensure!(properties["width"] == 1280 && properties["height"] == 720, "{properties}");
    let duration = properties["duration"].as_f64().context("no duration")?;
    ensure!((duration - CLIP_SECONDS).abs() < 0.2, "{properties}");
    Ok(properties)
}
