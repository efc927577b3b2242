//! Errors that only the origin can find: the video is refused with the edge's own codes, and nothing of it is served.

use anyhow::{Result, ensure};
use contract::paths;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tests::{AcceptedUpload, Clip, OriginFleet, TestStack, e2e, picture};

#[e2e(Own)]
async fn a_video_that_cannot_be_decoded_is_rejected_and_nothing_of_it_is_served(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    // A valid header, followed by data that is not a picture.
    let undecodable = fleet.upload(&fixtures::mp4(5_000, 20_000, 7)).await?;
    let clip = Clip::mp4("a.mp4").make(&fleet.folder)?;
    let mut picture = picture(&fleet.folder, "a.png", "green")?;
    // Complete to its last byte, but with invalid picture data.
    let data = picture.windows(4).position(|name| name == b"IDAT");
    picture[data.unwrap_or_default() + 8..].fill(0xA5);
    let with_picture = fleet.upload_with(&clip, |form| form.file("thumbnail_file", "a.png", &picture)).await?;
    fleet.start("strict", &[("JOBS", "2")]).await?;
    for (upload, code) in [(undecodable, "content_file_invalid_format"), (with_picture, "content_thumbnail_invalid")] {
        let status = fleet.until_processed(&upload, Duration::from_mins(1)).await?;
        ensure!(status["state"] == "rejected", "{status:#}");
        ensure!(status["error_message_code"] == code, "{status:#}");
        // In plain words, not a tool's.
        let detail = status["detail"].as_str().unwrap_or_default();
        let is_of_a_tool = ["0x", "@", "[", "ffmpeg", "ffprobe", "Png"].iter().any(|word| detail.contains(word));
        ensure!(!detail.is_empty() && !is_of_a_tool, "{status:#}");
        ensure_nothing_served(&fleet, &upload, &status).await?;
    }
    Ok(())
}

/// Fails if any file of the content is served or stored.
async fn ensure_nothing_served(fleet: &OriginFleet, upload: &AcceptedUpload, status: &Value) -> Result<()> {
    ensure!(status["urls"].is_null() && status["thumbnails"] == json!([]));
    let stem = upload.media_name.trim_end_matches(".mp4");
    for path in [
        format!("{}{}", paths::MEDIA, upload.media_name),
        format!("{}{stem}/poster.jpg", paths::MEDIA),
        format!("{}{stem}/hls/master.m3u8", paths::MEDIA),
    ] {
        ensure!(fleet.stack.get(&path).await?.status == 404, "{path}");
    }
    let folder = format!("media/{}/", upload.content_uuid);
    ensure!(!fleet.stack.objects()?.iter().any(|object| object.key.starts_with(&folder)));
    Ok(())
}
