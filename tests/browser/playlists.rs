//! The playlists of a published video obey the rules of HLS, according to a strict third-party parser.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[browser]
async fn a_strict_parser_accepts_all_playlists(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.content().await?;
    let folder = stack.new_folder()?;
    download_playlists(&stack, &content.urls.hls, folder.path()).await?;
    let parsed = parse(folder.path())?;
    let variants = parsed["variants"].as_array().context("no variants")?;
    let (keyframes, renditions): (Vec<_>, Vec<_>) =
        variants.iter().partition(|variant| variant["isIFrameOnly"] == true);
    ensure!(renditions.len() > 2 && keyframes.len() == renditions.len(), "{parsed:#}");
    for variant in variants {
        ensure!(variant["videoRange"] == "SDR" && variant["codecs"].is_string(), "{variant:#}");
        let rate = |name: &str| variant[name].as_u64().context("no bit rate");
        ensure!(rate("averageBandwidth")? <= rate("bandwidth")?, "{variant:#}");
    }
    for rendition in &renditions {
        ensure!(rendition["closedCaptions"] == json!([]) || rendition["closedCaptions"].is_null(), "{rendition:#}");
        ensure!(rendition["frameRate"] == 30, "{rendition:#}");
    }
    let low = renditions.iter().find(|rendition| rendition["uri"] == "240p.m3u8").context("no low rendition")?;
    ensure!(low["sounds"] == json!(["sound-low.m3u8"]), "{low:#}");
    ensure!(low["bandwidth"].as_u64().is_some_and(|bandwidth| bandwidth <= 250_000), "{low:#}");
    ensure_complete(&parsed)
}

/// Checks that each media playlist is complete, and that all have the same target duration.
pub(crate) fn ensure_complete(parsed: &Value) -> Result<()> {
    let playlists = parsed["playlists"].as_object().context("no playlists")?;
    let mut targets: Vec<_> = playlists.values().filter(|list| list["isIFrame"] != true).collect();
    targets.dedup_by_key(|list| list["targetDuration"].clone());
    ensure!(targets.len() == 1, "{targets:#?}");
    for (name, list) in playlists {
        ensure!(list["endlist"] == true, "{name}: {list:#}");
        let durations = list["durations"].as_array().context("no segments")?;
        ensure!(!durations.is_empty(), "{name}: {list:#}");
    }
    Ok(())
}

/// Saves the master playlist and every playlist that it names.
pub(crate) async fn download_playlists(stack: &BrowserStack, master: &str, folder: &Path) -> Result<()> {
    let fetch = async |url: &str| anyhow::Ok(stack.client.get(url).send().await?.error_for_status()?.text().await?);
    let text = fetch(master).await?;
    let names = text.split(['"', '\n']).filter(|part| Path::new(part).extension().is_some_and(|kind| kind == "m3u8"));
    for name in names {
        std::fs::write(folder.join(name), fetch(&master.replace("master.m3u8", name)).await?)?;
    }
    std::fs::write(folder.join("master.m3u8"), &text)?;
    Ok(())
}

pub(crate) fn parse(folder: &Path) -> Result<Value> {
    let output = Command::new(format!("{PROJECT}/node_modules/.bin/node"))
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/browser/playlists.mjs"))
        .arg(folder)
        .output()
        .context("starting node")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}
