//! Renditions in AV1 play in third-party players, in sync and to the end, and their playlists obey the rules of HLS.
//! There is no such test of HEVC, because Chromium does not play it.

use super::playlists::{download_playlists, ensure_complete, parse};
use super::sync;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

#[browser]
async fn renditions_in_av1_play_to_the_end_in_sync(_: Arc<BrowserStack>) -> Result<()> {
    let stack = BrowserStack::boot_with(&[("SECOND_CODEC", "av1")]).await?;
    let folder = stack.new_folder()?;
    let (name, clip, reference) = sync::copied_clip(folder.path())?;
    let content = stack.publish_file(&clip).await?;
    ensure_listed(&stack, &content.urls.hls).await?;
    let measured = sync::measure(&stack, name, &content.urls, &reference).await?;
    let players = measured.as_array().context("no measurements")?;
    for player in ["hls", "dash"] {
        let codec = players.iter().find(|one| one["player"] == player).map(|one| &one["codec"]);
        let is_av1 = codec.and_then(Value::as_str).is_some_and(|codec| codec.starts_with("av01."));
        ensure!(is_av1, "{player} plays another codec: {measured:#}");
    }
    Ok(())
}

/// Checks the playlists with a strict parser. The first rendition is in H.264.
async fn ensure_listed(stack: &BrowserStack, master: &str) -> Result<()> {
    let folder = stack.new_folder()?;
    download_playlists(stack, master, folder.path()).await?;
    let parsed = parse(folder.path())?;
    let variants = parsed["variants"].as_array().context("no variants")?;
    let names: Vec<_> = variants.iter().map(|variant| &variant["uri"]).collect();
    let expected = ["180p.m3u8", "180p-av1.m3u8", "180p-keyframes.m3u8", "180p-av1-keyframes.m3u8"];
    ensure!(json!(names) == json!(expected), "{parsed:#}");
    ensure_complete(&parsed)
}
