//! What only the origin can see: it is refused with the edge's own codes, and nothing of it is shown.

use crate::clips::{self, Clip};
use crate::fleet::{Fleet, Upload};
use crate::harness::{Harness, Suite};
use anyhow::{Result, ensure};
use contract::paths;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

pub fn register(suite: &mut Suite) {
    suite.add_on_its_own_stack(
        "refusals::what_cannot_be_decoded_is_rejected_and_nothing_of_it_is_shown",
        refused,
    );
}

async fn refused(harness: Arc<Harness>) -> Result<()> {
    let mut fleet = Fleet::new(&harness).await?;
    // A sound header, and behind it nothing that is a picture.
    let undecodable = fleet.upload(&fixtures::mp4(5_000, 20_000, 7)).await?;
    let clip = Clip::mp4("a.mp4").make(&fleet.folder)?;
    let mut picture = clips::picture(&fleet.folder, "a.png", "green")?;
    // Whole to its last byte, but for what the picture is made of.
    let data = picture.windows(4).position(|name| name == b"IDAT");
    picture[data.unwrap_or_default() + 8..].fill(0xA5);
    let with_picture = fleet
        .upload_with(&clip, |form| form.file("thumbnail_file", "a.png", &picture))
        .await?;
    fleet.start("strict", &[("JOBS", "2")]).await?;
    for (upload, code) in [
        (undecodable, "content_file_invalid_format"),
        (with_picture, "content_thumbnail_invalid"),
    ] {
        let status = fleet.until_over(&upload, Duration::from_secs(30)).await?;
        ensure!(status["state"] == "rejected", "{status:#}");
        ensure!(status["error_message_code"] == code, "{status:#}");
        ensure!(
            status["detail"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
        ensure_hidden(&fleet, &upload, &status).await?;
    }
    let media = harness.objects()?;
    ensure!(!media.iter().any(|object| object.key.starts_with("media/")));
    Ok(())
}

async fn ensure_hidden(fleet: &Fleet, upload: &Upload, status: &Value) -> Result<()> {
    ensure!(status["urls"].is_null() && status["thumbnails"] == json!([]));
    let stem = upload.media_name.trim_end_matches(".mp4");
    for path in [
        format!("{}{}", paths::MEDIA, upload.media_name),
        format!("{}{stem}/poster.jpg", paths::MEDIA),
        format!("{}{stem}/hls/master.m3u8", paths::MEDIA),
    ] {
        ensure!(fleet.harness.get(&path).await?.status == 404, "{path}");
    }
    Ok(())
}
