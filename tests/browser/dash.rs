//! The DASH form of a video plays in a third-party player, from byte ranges of the files that HLS uses.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use tests::browser;
use tests::browser::{BrowserStack, BrowserTraffic, CLIP_SECONDS, SHAKA_PLAYER};

/// Plays a manifest to the end, and returns the player's choices and where the video ended.
const PLAY: &str = "const video = document.createElement('video');
    document.body.append(video);
    const player = new shaka.Player();
    await player.attach(video);
    const failed = new Promise((_, reject) => player.addEventListener('error', ({ detail }) => reject(detail)));
    await player.load(MANIFEST);
    const choices = player.getVariantTracks().map(({ originalAudioId, height, frameRate,
        channelsCount }) => ({ originalAudioId, height, frameRate, channelsCount }));
    const ended = new Promise(resolve => video.addEventListener('ended', () => resolve(video.currentTime)));
    await video.play();
    return { choices, end: await Promise.race([ended, failed]) };";

#[browser]
async fn the_dash_form_plays_to_the_end(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.content().await?;
    let manifest = content.urls.dash.as_ref().context("no DASH manifest")?;
    let served = stack.client.get(manifest).send().await?;
    ensure!(served.headers()["content-type"] == "application/dash+xml", "{served:?}");
    let browser = stack.browser().await?;
    browser.open(&content.urls.poster).await?;
    browser.click("img").await?;
    browser.load(SHAKA_PLAYER).await?;
    let played = browser.run(&PLAY.replace("MANIFEST", &json!(manifest).to_string())).await?;
    ensure!(played["end"].as_f64().is_some_and(|end| (end - CLIP_SECONDS).abs() < 0.1), "{played:#}");
    let choices = played["choices"].as_array().context("no choices")?;
    let is_listed = |height: u32, sound: &str| {
        choices.iter().any(|choice| choice["height"] == height && choice["originalAudioId"] == sound)
    };
    ensure!(is_listed(720, "sound") && is_listed(240, "sound-low"), "{played:#}");
    ensure!(choices.iter().all(|choice| choice["frameRate"] == 30 && choice["channelsCount"] == 2), "{played:#}");
    ensure_read_in_ranges(&BrowserTraffic::from_log(&browser.log("performance").await?)?)
}

/// Checks that every request for segments got the range that it asked for.
fn ensure_read_in_ranges(traffic: &BrowserTraffic) -> Result<()> {
    let is_segments = |url: &str| url.contains("/hls/") && Path::new(url).extension().is_some_and(|kind| kind == "mp4");
    let answers: Vec<_> = traffic.responses.iter().filter(|answer| is_segments(&answer.url)).collect();
    ensure!(answers.len() >= 4, "{traffic:?}");
    for answer in answers {
        ensure!(answer.status == 206 && answer.content_range.is_some(), "{answer:?}");
    }
    Ok(())
}
