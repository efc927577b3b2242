//! Another thumbnail for a video that is public already.

use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tests::{AcceptedUpload, Clip, OriginFleet, TestStack, e2e, send, until};

const TIMEOUT: Duration = Duration::from_mins(2);

async fn change(fleet: &OriginFleet, upload: &AcceptedUpload, time: Value) -> Result<Value> {
    let body = json!({ "content_uuid": upload.content_uuid, "thumbnail_time": time });
    let request = fleet.stack.request(Method::POST, paths::UPDATE_CONTENT).bearer_auth(&fleet.channel.key);
    let answer = send(request.json(&body)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    answer.json()
}

/// Waits until the change is made or has failed, and returns the status.
async fn until_changed(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<Value> {
    let look = async || Ok(Some(fleet.status(upload).await?).filter(|status| status["thumbnail_change"] != "pending"));
    until(TIMEOUT, look, || "the thumbnail is still pending".to_owned()).await
}

async fn file(fleet: &OriginFleet, url: &Value) -> Result<Vec<u8>> {
    let path = url.as_str().and_then(|url| url.strip_prefix(fleet.stack.env().get("SITE_URL")));
    let answer = fleet.stack.get(path.context("no address")?).await?;
    ensure!(answer.status == 200, "{url}: {answer:?}");
    Ok(answer.bytes)
}

#[e2e(Own)]
async fn a_published_video_gets_another_thumbnail_and_keeps_everything_else(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let video = Clip::mp4("a.mp4").make(&fleet.folder)?;
    let origin = fleet.start("origin", &[]).await?;
    let upload = fleet.upload_with(&video, |form| form.text("thumbnail_time", "00:00:00")).await?;
    let before = fleet.until_published(&upload, TIMEOUT).await?;
    let (urls, small) = (&before["urls"], &before["thumbnails"][0]["url"]);
    let old = [file(&fleet, &urls["poster"]).await?, file(&fleet, small).await?, file(&fleet, &urls["video"]).await?];
    let pending = change(&fleet, &upload, json!("00:00:02")).await?;
    ensure!(pending["thumbnail_change"] == "pending" && pending["state"] == "published", "{pending}");
    let after = until_changed(&fleet, &upload).await?;
    ensure!(after["thumbnail_change"].is_null() && after["check_after_seconds"].is_null(), "{after}");
    ensure!(after["urls"] == *urls && after["thumbhash"] != before["thumbhash"], "{after}");
    let new = [file(&fleet, &urls["poster"]).await?, file(&fleet, small).await?, file(&fleet, &urls["video"]).await?];
    ensure!(new[0] != old[0] && new[1] != old[1] && new[2] == old[2], "the wrong files have changed");
    // The same request again changes nothing, and null lets the service choose.
    ensure!(change(&fleet, &upload, json!("00:00:02")).await?["thumbnail_change"].is_null());
    ensure!(change(&fleet, &upload, Value::Null).await?["thumbnail_change"] == "pending");
    let chosen = until_changed(&fleet, &upload).await?;
    ensure!(chosen["thumbnail_change"].is_null() && file(&fleet, &urls["poster"]).await? != new[0], "{chosen}");
    fleet.stop(origin, TIMEOUT).await?;
    ensure!(fleet.leftovers()?.is_empty(), "{:?}", fleet.leftovers()?);
    Ok(())
}
