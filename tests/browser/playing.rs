//! The page plays, as a person starts it, and fetches what it needs from its own host alone.

use crate::Suite;
use crate::network::Traffic;
use crate::scene::{CAPTION, CLIP_SECONDS, Scene};
use crate::webdriver::Browser;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::sync::Arc;

/// The video's facts, once its first frame is there.
const LOADED: &str = "const video = document.querySelector('video');
    return new Promise((resolve, reject) => {
        const facts = () => resolve({ width: video.videoWidth, height: video.videoHeight,
            duration: video.duration, source: video.currentSrc, ready: video.readyState });
        const failed = () => reject(new Error('the video fails: ' + (video.error || {}).message));
        video.addEventListener('error', failed);
        video.querySelector('source:last-of-type')?.addEventListener('error', failed);
        video.readyState >= 2 ? facts() : video.addEventListener('loadeddata', facts);
    });";

/// Plays on from here: the time at which it stands after half a second of the video at least.
const ADVANCED: &str = "const video = document.querySelector('video');
    return new Promise((resolve, reject) => {
        const start = video.currentTime;
        video.addEventListener('error', () => reject(new Error(video.error.message)));
        video.addEventListener('timeupdate', () => {
            if (video.currentTime >= start + 0.5 && !video.paused) resolve([start, video.currentTime]);
        });
    });";

/// Leaves the page as a browser without HLS sees it: Chromium's own cannot be switched off.
const WITHOUT_HLS: &str =
    "document.querySelector('source[type=\"application/vnd.apple.mpegurl\"]').remove();
    document.querySelector('video').load();";

/// Jumps to 0.8 s before the end and plays from there to the end.
const PLAYED_THE_END: &str = "const video = document.querySelector('video');
    return new Promise((resolve, reject) => {
        video.addEventListener('error', () => reject(new Error(video.error.message)));
        video.addEventListener('ended', () => resolve(video.currentTime));
        video.addEventListener('seeked', () => video.play().catch(reject), { once: true });
        video.currentTime = video.duration - 0.8;
    });";

pub fn register(suite: &mut Suite) {
    suite.add(
        "playing::a_clip_uploaded_by_curl_plays_in_its_page",
        a_clip_uploaded_by_curl_plays_in_its_page,
    );
    suite.add(
        "playing::the_page_needs_no_other_host_and_breaks_no_rule_of_its_own",
        the_page_needs_no_other_host_and_breaks_no_rule_of_its_own,
    );
    suite.add(
        "playing::the_mp4_is_played_and_sought_in_ranges_where_there_is_no_hls",
        the_mp4_is_played_and_sought_in_ranges_where_there_is_no_hls,
    );
}

async fn a_clip_uploaded_by_curl_plays_in_its_page(scene: Arc<Scene>) -> Result<()> {
    let content = scene.content().await?;
    let browser = scene.browser().await?;
    browser.open(&content.urls.page).await?;
    ensure_loaded(&browser).await?;
    let poster =
        "const picture = new Image(); picture.src = document.querySelector('video').poster;
        return picture.decode().then(() => [picture.naturalWidth, picture.naturalHeight]);";
    let poster = browser.run(poster).await?;
    ensure!(poster[0].as_u64() > Some(0), "the poster: {poster}");
    let caption = "return document.querySelector('.caption').textContent";
    ensure!(browser.run(caption).await? == CAPTION);
    browser.click("video").await?;
    let times = browser.run(ADVANCED).await?;
    println!("the page plays: {times}");
    ensure_plays_the_end(&browser).await
}

async fn the_page_needs_no_other_host_and_breaks_no_rule_of_its_own(
    scene: Arc<Scene>,
) -> Result<()> {
    let content = scene.content().await?;
    let browser = scene.browser().await?;
    browser.open(&content.urls.page).await?;
    ensure_loaded(&browser).await?;
    browser.click("video").await?;
    ensure_plays_the_end(&browser).await?;
    // A browser asks for it by itself; it is the site's, which a stack does not have.
    let icon = format!("{}/favicon.ico", scene.base());
    let of_icon = |entry: &Value| {
        let message = entry["message"].as_str().unwrap_or_default();
        message.starts_with(&icon)
    };
    let mut console = browser.log("browser").await?;
    console.retain(|entry| !of_icon(entry));
    ensure!(console.is_empty(), "the console: {console:?}");
    let traffic = Traffic::of(&browser.log("performance").await?)?;
    // The other two are Chromium's own: its empty window, and the buttons of its player.
    let known = [scene.base(), "chrome://", "data:image/"];
    let known = |url: &str| known.iter().any(|start| url.starts_with(start));
    let foreign: Vec<_> = traffic.asked.iter().filter(|url| !known(url)).collect();
    ensure!(foreign.is_empty(), "other hosts: {foreign:?}");
    ensure!(
        traffic.asked.contains(&content.urls.poster),
        "the log knows the page's requests: {traffic:?}"
    );
    let failed = traffic
        .received
        .iter()
        .find(|answer| answer.status >= 400 && answer.url != icon);
    ensure!(failed.is_none(), "{failed:?}");
    let colour = "const style = getComputedStyle(document.querySelector('.stage'));
        return style.backgroundColor";
    let colour = browser.run(colour).await?;
    ensure!(
        colour != "rgba(0, 0, 0, 0)",
        "the page's own style is in force"
    );
    Ok(())
}

async fn the_mp4_is_played_and_sought_in_ranges_where_there_is_no_hls(
    scene: Arc<Scene>,
) -> Result<()> {
    let content = scene.content().await?;
    let browser = scene.browser().await?;
    browser.open(&content.urls.page).await?;
    browser.run(WITHOUT_HLS).await?;
    let facts = ensure_loaded(&browser).await?;
    ensure!(facts["source"] == content.urls.video.as_str(), "{facts}");
    browser.click("video").await?;
    ensure_plays_the_end(&browser).await?;
    let traffic = Traffic::of(&browser.log("performance").await?)?;
    let answers: Vec<_> = traffic.from(&content.urls.video).collect();
    println!("the browser got of the MP4: {answers:?}");
    ensure!(!answers.is_empty(), "{traffic:?}");
    for answer in answers {
        let range = answer.content_range.as_deref().unwrap_or_default();
        ensure!(
            answer.status == 206 && range.starts_with("bytes "),
            "{answer:?}"
        );
    }
    Ok(())
}

async fn ensure_plays_the_end(browser: &Browser) -> Result<()> {
    let end = browser.run(PLAYED_THE_END).await?;
    let reached = end.as_f64().is_some_and(|end| end > CLIP_SECONDS - 0.3);
    ensure!(reached, "ended at {end}");
    Ok(())
}

async fn ensure_loaded(browser: &Browser) -> Result<Value> {
    let facts: Value = browser.run(LOADED).await?;
    println!("the browser loaded {facts}");
    ensure!(facts["ready"].as_u64() >= Some(2), "{facts}");
    ensure!(facts["width"] == 640 && facts["height"] == 360, "{facts}");
    let duration = facts["duration"].as_f64().context("no duration")?;
    ensure!((duration - CLIP_SECONDS).abs() < 0.2, "{facts}");
    Ok(facts)
}
