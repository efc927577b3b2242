//! A page that was opened while only the first quality existed switches to the full quality by itself.

use anyhow::{Context, Result, ensure};
use contract::api::UploadStatus;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tests::browser::BrowserStack;
use tests::{browser, until};

/// The remaining renditions take some seconds. This allows for a machine that is busy with something else.
const FULL_WITHIN: Duration = Duration::from_mins(2);
/// The script asks after 5 s and then in growing intervals, and a cache may keep the page for a minute.
const SWITCHED_WITHIN: Duration = Duration::from_secs(90);

/// Mutes the video, slows it down so that it does not end before the switch, and waits for its first frame. Observes
/// the largest step of its time from then on. A reload of the page would lose these observations.
const PREPARED: &str = "const video = document.querySelector('video');
    video.muted = true;
    video.playbackRate = 0.1;
    const seen = window.seen = { step: 0, errors: 0 };
    let last = video.currentTime;
    setInterval(() => {
        seen.step = Math.max(seen.step, Math.abs(video.currentTime - last));
        last = video.currentTime;
    }, 20);
    video.addEventListener('error', () => seen.errors++);
    return new Promise(resolve => {
        const loaded = () => resolve({ quality: document.querySelector('media-controller').dataset.quality,
            source: video.currentSrc, height: video.videoHeight });
        video.readyState >= 2 ? loaded() : video.addEventListener('loadeddata', loaded, { once: true });
    });";

/// Waits until the video has played for 0.1 s. Returns its time before and after.
const ADVANCED: &str = "const video = document.querySelector('video'), start = video.currentTime;
    return new Promise(resolve => video.addEventListener('timeupdate', () => {
        if (video.currentTime >= start + 0.1 && !video.paused) resolve([start, video.currentTime]);
    }));";

/// Returns the state of the video once it has its full height, and what was observed.
const SWITCHED: &str = "const video = document.querySelector('video');
    const isMarked = document.querySelector('media-controller').hasAttribute('data-quality');
    if (isMarked || video.videoHeight !== 720 || video.seeking || video.readyState < 3) return null;
    const { paused, muted, playbackRate } = video;
    return { paused, muted, playbackRate, seen: window.seen ?? null };";

#[browser]
async fn a_playing_page_switches_to_the_full_quality(stack: Arc<BrowserStack>) -> Result<()> {
    let folder = stack.new_folder()?;
    let clip = make_clip(folder.path())?;
    // Starting a browser may take longer than the remaining renditions.
    let browser = stack.browser().await?;
    let content = stack.publish_first(&clip).await?;
    ensure!(quality(&content.status)? == "first", "{:?}", content.status);
    browser.open(&content.urls.page).await?;
    let prepared = browser.run(PREPARED).await?;
    ensure!(prepared["quality"] == "first" && prepared["source"] == content.urls.hls.as_str(), "{prepared}");
    ensure!(prepared["height"].as_u64().is_some_and(|height| height < 720), "{prepared}");
    browser.click("media-controller").await?;
    browser.run(ADVANCED).await?;
    let uuid = &content.status.content.content_uuid;
    let is_full = async || Ok((quality(&stack.status(uuid).await?)? == "full").then_some(()));
    until(FULL_WITHIN, is_full, || "the status says no full quality".to_owned()).await?;
    let look = async || Ok(Some(browser.run(SWITCHED).await?).filter(|state| !state.is_null()));
    let state = until(SWITCHED_WITHIN, look, || "the page does not switch".to_owned()).await?;
    let times = browser.run(ADVANCED).await?;
    println!("the page plays the full quality: {state}, {times}");
    ensure!(state["paused"] == false && state["muted"] == true && state["playbackRate"] == 0.1, "{state}");
    let step = state["seen"]["step"].as_f64().context("the page was loaded again")?;
    ensure!(step < 1.0 && state["seen"]["errors"] == json!(0), "{state}");
    let console = browser.log("browser").await?;
    ensure!(console.is_empty(), "messages on the console: {console:?}");
    Ok(())
}

fn quality(status: &UploadStatus) -> Result<Value> {
    Ok(serde_json::to_value(status)?["quality"].clone())
}

/// Makes a clip of 720 lines that no rendition can be a copy of, because it is in VP8. It has few details, so the page
/// prefers the MP4 of the full quality, which has all lines from the first frame.
fn make_clip(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("clip.webm");
    let status = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error"])
        .args(["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30:duration=10,scale=1280:720"])
        .args(["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=10"])
        .args("-c:v libvpx -deadline realtime -cpu-used 8 -b:v 4M -c:a libvorbis".split(' '))
        .arg(&path)
        .status()
        .context("starting ffmpeg")?;
    ensure!(status.success(), "ffmpeg: {status}");
    Ok(path)
}
