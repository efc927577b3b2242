//! Sound and picture are in sync in the players that people use, and each of them reaches the end.
//!
//! The clips beep whenever the picture turns white. The browser's output is compared with a clip that is in sync by
//! construction, because a measurement in a browser has its own delay.

use anyhow::{Context, Result, anyhow, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::api::PublicUrls;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tests::browser;
use tests::browser::{BrowserStack, HLS_JS, SHAKA_PLAYER};

const MEASURE: &str = include_str!("sync.js");

/// EBU R37 tolerates 40 ms.
const MAX_OFFSET_MS: i64 = 25;

/// A busy machine shows some frames late. Streams that are out of sync are so in every attempt.
const ATTEMPTS: u32 = 4;

/// Not a multiple of a segment, so that a few frames are left over.
const SECONDS: f64 = 4.07;

/// The name of a clip, its frames per second, and how its pictures are encoded.
type Kind = (&'static str, u32, &'static str);

/// Copied as they are, without reordered frames; and re-encoded, because of their colour format.
const QUICK: [Kind; 2] = [("copied", 30, COPIED), ("slow", 5, ENCODED)];
const MORE: [Kind; 6] = [
    ("encoded", 30, ENCODED),
    ("fast", 60, ENCODED),
    ("film", 24, REORDERED),
    ("ten", 10, ENCODED),
    ("fifteen", 15, REORDERED),
    ("copied-fast", 60, COPIED),
];
const COPIED: &str = "-c:v libx264 -preset ultrafast -crf 35 -bf 0 -g 30 -pix_fmt yuv420p -c:a aac";
const REORDERED: &str = "-c:v libx264 -preset veryfast -crf 30 -bf 2 -g 30 -pix_fmt yuv420p -c:a aac";
const ENCODED: &str = "-c:v libx264 -preset ultrafast -pix_fmt yuv444p -c:a aac";
/// FLAC has no packets that only warm up its decoder.
const IN_SYNC: &str = "-c:v libx264 -preset ultrafast -bf 0 -pix_fmt yuv420p -c:a flac -strict -2";

#[browser]
async fn sound_and_picture_are_in_sync_in_every_player(stack: Arc<BrowserStack>) -> Result<()> {
    let folder = stack.new_folder()?;
    let reference = std::fs::read(make_clip(folder.path(), ("reference", 30, IN_SYNC))?)?;
    let reference = format!("data:video/mp4;base64,{}", STANDARD.encode(reference));
    let more = if fixtures::cases(0, 1) == 0 { &MORE[..0] } else { &MORE[..] };
    for kind in QUICK.iter().chain(more) {
        let content = stack.publish_file(&make_clip(folder.path(), *kind)?).await?;
        measure(&stack, kind.0, &content.urls, &reference).await?;
    }
    Ok(())
}

/// Makes a clip that is copied, and returns its name, its file, and the address of the reference.
pub(crate) fn copied_clip(folder: &Path) -> Result<(&'static str, PathBuf, String)> {
    let reference = std::fs::read(make_clip(folder, ("reference", 30, IN_SYNC))?)?;
    let [kind, ..] = QUICK;
    Ok((kind.0, make_clip(folder, kind)?, format!("data:video/mp4;base64,{}", STANDARD.encode(reference))))
}

/// Plays a published clip in all players. Fails unless each is in sync; returns what was measured.
pub(crate) async fn measure(stack: &BrowserStack, name: &str, urls: &PublicUrls, reference: &str) -> Result<Value> {
    let browser = stack.browser().await?;
    // A document of the same host, whose rules do not forbid scripts, and a click, without which nothing plays.
    browser.open(&urls.poster).await?;
    browser.click("img").await?;
    for library in [HLS_JS, SHAKA_PLAYER] {
        browser.load(library).await?;
    }
    let options = json!({ "master": urls.hls, "manifest": urls.dash, "reference": reference, "seconds": SECONDS });
    let measure = MEASURE.replace("OPTIONS;", &format!("{options};"));
    let mut in_sync = Err(anyhow!("not measured"));
    for _ in 0..ATTEMPTS {
        let measured = browser.run(&measure).await?;
        in_sync = ensure_in_sync(name, &measured).with_context(|| format!("{name}: {measured:#}")).map(|()| measured);
        if in_sync.is_ok() {
            break;
        }
    }
    in_sync
}

fn ensure_in_sync(name: &str, measured: &Value) -> Result<()> {
    let players = measured.as_array().context("no measurements")?;
    let median = |player: &Value| player["median"].as_i64().context("no beep was heard");
    let reference = players.iter().find(|player| player["player"] == "reference");
    let reference = median(reference.context("no reference")?)?;
    for player in players {
        let offset = median(player)? - reference;
        println!("{name} in {}: {offset} ms, ended: {}", player["player"], player["ended"]);
        ensure!(offset.abs() <= MAX_OFFSET_MS, "{}: {offset} ms", player["player"]);
        ensure!(player["ended"] == true, "{} does not end", player["player"]);
    }
    Ok(())
}

/// Makes a clip that is white and beeps during the first 0.4 s of every second. One corner shows other pictures,
/// because a clip without any detail would wait for a moderator.
fn make_clip(folder: &Path, (name, rate, encoding): Kind) -> Result<PathBuf> {
    let path = folder.join(format!("{name}.mp4"));
    let flashes =
        format!("color=c=black:s=320x180:r={rate}:d={SECONDS},drawbox=c=white:t=fill:enable='lt(mod(t+0.0001,1),0.4)'");
    let detail = format!("testsrc2=s=160x90:r={rate}:d={SECONDS}");
    let picture = format!("{flashes}[flashes];{detail}[detail];[flashes][detail]overlay=160:90");
    let beep = format!("aevalsrc='if(lt(mod(t,1),0.4),0.5*sin(2*PI*1000*t),0)':s=48000:d={SECONDS}");
    let status = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", &picture, "-f", "lavfi", "-i", &beep])
        .args(encoding.split_whitespace())
        .arg(&path)
        .status()
        .context("starting ffmpeg")?;
    ensure!(status.success(), "ffmpeg: {status}");
    Ok(path)
}
