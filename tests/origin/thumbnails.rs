//! Another thumbnail for a video that is public already.

use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tests::{
    AcceptedUpload, Clip, OriginFleet, PublishedFiles, TestStack, e2e, ffmpeg, picture, run_to_end, send, until,
    with_jpeg_comment,
};

const TIMEOUT: Duration = Duration::from_mins(2);

async fn change(fleet: &OriginFleet, upload: &AcceptedUpload, time: Value) -> Result<Value> {
    let body = json!({ "content_uuid": upload.content_uuid, "thumbnail_time": time });
    let request = fleet.stack.request(Method::POST, paths::UPDATE_CONTENT).bearer_auth(&fleet.channel.key);
    let answer = send(request.json(&body)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    answer.json()
}

pub(crate) async fn send_picture(fleet: &OriginFleet, upload: &AcceptedUpload, picture: &[u8]) -> Result<Value> {
    let form = Form::new().text("content_uuid", &upload.content_uuid).file("thumbnail_file", "a.jpg", picture);
    let request = fleet.stack.request(Method::POST, paths::UPDATE_THUMBNAIL).bearer_auth(&fleet.channel.key);
    let answer = send(request.header("Content-Type", Form::content_type()).body(form.body())).await?;
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

/// Returns the frame hash of the thumbnail that was made last.
fn thumbnail_hash(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<String> {
    let row = fleet.row(upload)?;
    let thumbnail: Value = serde_json::from_str(row["thumbnail"].as_str().context("no thumbnail")?)?;
    Ok(thumbnail["frames"][0]["hash"].as_str().context("no hash")?.to_owned())
}

async fn block(fleet: &OriginFleet, hash: &str) -> Result<()> {
    let request = fleet.stack.request(Method::POST, paths::MODERATION_HASHES);
    let request = request.bearer_auth(fleet.stack.env().get("ADMIN_TOKEN"));
    let answer = send(request.json(&json!({ "hash": hash, "reason": "a test" }))).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(())
}

/// A sent picture becomes the poster, without its metadata. An undecodable or blocked picture leaves the poster
/// unchanged.
#[e2e(Own)]
async fn a_published_video_gets_the_picture_of_its_owner(stack: Arc<TestStack>) -> Result<()> {
    const HOME: &str = "taken at 52.5200 N, 13.4050 E";
    let mut fleet = OriginFleet::new(&stack).await?;
    let video = Clip::mp4("a.mp4").make(&fleet.folder)?;
    let origin = fleet.start("origin", &[]).await?;
    let upload = fleet.upload(&video).await?;
    fleet.until_published(&upload, TIMEOUT).await?;
    let mandelbrot = detailed_picture(&fleet)?;
    let blue = picture(&fleet.folder, "blue.jpg", "blue")?;
    let sent = with_jpeg_comment(&mandelbrot, HOME)?;
    ensure!(send_picture(&fleet, &upload, &sent).await?["thumbnail_change"] == "pending");
    let status = until_changed(&fleet, &upload).await?;
    ensure!(status["thumbnail_change"].is_null(), "the first picture was refused: {status}");
    let first = file(&fleet, &status["urls"]["poster"]).await?;
    ensure!(!first.windows(HOME.len()).any(|window| window == HOME.as_bytes()), "the poster says where it was taken");
    let hash = thumbnail_hash(&fleet, &upload)?;
    send_picture(&fleet, &upload, &blue).await?;
    let status = until_changed(&fleet, &upload).await?;
    let published = PublishedFiles { fleet: &fleet, upload: &upload, status: &status };
    let [red, green, of_blue] = published.colour().await?;
    ensure!(of_blue > 180 && red < 60 && green < 60, "{red} {green} {of_blue}");
    // Once the first picture is blocked, it cannot become the poster again.
    block(&fleet, &hash).await?;
    let garbage = [&blue[..3], b"garbage"].concat();
    for (refused, code) in [(&mandelbrot, "content_moderation_rejected"), (&garbage, "content_thumbnail_invalid")] {
        ensure!(send_picture(&fleet, &upload, refused).await?["thumbnail_change"] == "pending", "{code}");
        let status = until_changed(&fleet, &upload).await?;
        let is_refused = status["thumbnail_change"] == "failed" && status["thumbnail_error_message_code"] == code;
        ensure!(is_refused, "not refused with {code}: {status}");
        let published = PublishedFiles { fleet: &fleet, upload: &upload, status: &status };
        ensure!(published.colour().await?[2] > 180, "another poster is shown");
    }
    // A frame replaces the picture.
    ensure!(change(&fleet, &upload, json!("00:00:01")).await?["thumbnail_change"] == "pending");
    let status = until_changed(&fleet, &upload).await?;
    let is_made = status["thumbnail_change"].is_null() && status["thumbnail_error_message_code"].is_null();
    ensure!(is_made, "no frame replaced the picture: {status}");
    fleet.stop(origin, TIMEOUT).await?;
    ensure!(fleet.leftovers()?.is_empty(), "{:?}", fleet.leftovers()?);
    Ok(())
}

/// Returns a picture with enough detail to be recognised.
fn detailed_picture(fleet: &OriginFleet) -> Result<Vec<u8>> {
    let path = fleet.folder.join("detailed.jpg");
    let mut make = ffmpeg();
    make.args(["-f", "lavfi", "-i", "mandelbrot=size=640x360", "-frames:v", "1"]).arg(&path);
    run_to_end(make)?;
    Ok(std::fs::read(path)?)
}
