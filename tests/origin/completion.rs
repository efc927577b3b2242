//! Videos that are published in their first quality, and completed by a second job.

use crate::thumbnails::send_picture;
use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{
    AcceptedUpload, Clip, ExpectedMedia, OriginFleet, PublishedFiles, StackLimits, TestStack, e2e, picture, send, until,
};

const TIMEOUT: Duration = Duration::from_secs(90);
/// A clip whose pictures have to be encoded.
const ENCODED: Clip = Clip {
    size: (1280, 720),
    milliseconds: 6_000,
    encoding: "-c:v mpeg4 -q:v 3 -pix_fmt yuv420p -c:a aac",
    ..Clip::mp4("encoded.mp4")
};
/// A clip whose packets are copied.
const COPIED: Clip = Clip {
    size: (1280, 720),
    milliseconds: 6_000,
    encoding: "-c:v libx264 -preset veryfast -profile:v high -g 50 -pix_fmt yuv420p -c:a aac",
    ..Clip::mp4("copied.mp4")
};

/// The files of a published video, by name.
async fn read_files(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<BTreeMap<String, Vec<u8>>> {
    let status = fleet.status(upload).await?;
    let files = PublishedFiles { fleet, upload, status: &status };
    let mut read = BTreeMap::new();
    let master = files.file("hls/master.m3u8").await?;
    let text = String::from_utf8(master.clone())?;
    for playlist in text.lines().filter(|line| !line.starts_with('#')) {
        let name = playlist.strip_suffix(".m3u8").context("no playlist")?;
        for name in [format!("hls/{name}.m3u8"), format!("hls/{name}.mp4"), format!("hls/{name}-keyframes.m3u8")] {
            read.insert(name.clone(), files.file(&name).await?);
        }
    }
    for name in ["hls/sound.m3u8", "hls/sound.mp4", "poster.jpg", "storyboard.jpg", "preview.webp", "video.mp4"] {
        read.insert(name.to_owned(), files.file(name).await?);
    }
    read.insert("hls/master.m3u8".to_owned(), master);
    Ok(read)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn renditions(files: &BTreeMap<String, Vec<u8>>) -> Vec<&str> {
    let names = files.keys().filter_map(|name| name.strip_prefix("hls/")?.strip_suffix("p.mp4"));
    names.collect()
}

/// Returns the types and qualities of the events about a video.
async fn events(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<Vec<(String, Value)>> {
    let path = format!("{}?content_uuid={}", paths::EVENTS, upload.content_uuid);
    let answer = fleet.stack.get_with_key(&path, &fleet.channel.key).await?;
    let events = answer.json()?["events"].as_array().cloned().context("no events")?;
    let told =
        |event: &Value| (event["type"].as_str().unwrap_or_default().to_owned(), event["data"]["quality"].clone());
    Ok(events.iter().map(told).collect())
}

fn told(events: &[(&str, &str)]) -> Vec<(String, Value)> {
    events.iter().map(|(name, quality)| ((*name).to_owned(), json!(quality))).collect()
}

/// Publishes a clip in both steps, and returns its files after each.
async fn publish_in_steps(fleet: &OriginFleet, clip: Clip) -> Result<(AcceptedUpload, [BTreeMap<String, Vec<u8>>; 2])> {
    let video = clip.make(&fleet.folder)?;
    let started = Instant::now();
    let upload = fleet.upload(&video).await?;
    let status = fleet.until_public(&upload, TIMEOUT).await?;
    ensure!(status["quality"] == "first" && status["height"] == 720, "{status:#}");
    let (page, first_after) = (
        fleet.stack.get(&format!("/meme/{}", status["slug_url"].as_str().unwrap_or_default())).await?,
        started.elapsed(),
    );
    ensure!(page.status == 200, "{page:?}");
    let first = read_files(fleet, &upload).await?;
    let status = fleet.until_published(&upload, TIMEOUT).await?;
    let full_after = started.elapsed();
    let expected = ExpectedMedia { size: clip.size, milliseconds: clip.milliseconds, has_sound: true };
    PublishedFiles { fleet, upload: &upload, status: &status }.verify(expected).await?;
    let full = read_files(fleet, &upload).await?;
    println!(
        "completion: {} public after {:.1} s, completed after {:.1} s",
        clip.name,
        first_after.as_secs_f64(),
        full_after.as_secs_f64()
    );
    Ok((upload, [first, full]))
}

/// Fails unless every file of the first quality but the named ones is unchanged.
fn ensure_kept(first: &BTreeMap<String, Vec<u8>>, full: &BTreeMap<String, Vec<u8>>, changed: &[&str]) -> Result<()> {
    for (name, bytes) in first {
        let is_same = full.get(name) == Some(bytes);
        ensure!(is_same != changed.contains(&name.as_str()), "{name}");
    }
    Ok(())
}

#[e2e(Own)]
async fn an_encoded_video_is_public_in_its_small_renditions_first(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    fleet.start("origin", &[]).await?;
    let (upload, [first, full]) = publish_in_steps(&fleet, ENCODED).await?;
    ensure!(renditions(&first) == ["240", "360"], "{:?}", renditions(&first));
    ensure!(renditions(&full) == ["240", "360", "480", "720"], "{:?}", renditions(&full));
    ensure_kept(&first, &full, &["hls/master.m3u8", "video.mp4"])?;
    let expected = told(&[("content.published", "first"), ("content.completed", "full")]);
    ensure!(events(&fleet, &upload).await? == expected, "{:?}", events(&fleet, &upload).await?);
    Ok(())
}

#[e2e(Own)]
async fn a_copied_video_is_public_at_its_full_height_first(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    fleet.start("origin", &[]).await?;
    let (_, [first, full]) = publish_in_steps(&fleet, COPIED).await?;
    ensure!(renditions(&first) == ["720"], "{:?}", renditions(&first));
    ensure!(renditions(&full) == ["240", "360", "480", "720"], "{:?}", renditions(&full));
    let lists_low_sound = [&first, &full].map(|files| text(&files["hls/master.m3u8"]).contains("sound-low.m3u8"));
    ensure!(lists_low_sound == [false, true], "the sound for poor connections comes with their rendition");
    ensure_kept(&first, &full, &["hls/master.m3u8"])?;
    Ok(())
}

/// Waits until the job of this kind has this state.
async fn until_job(fleet: &OriginFleet, upload: &AcceptedUpload, kind: &str, state: &str) -> Result<()> {
    let sql = "SELECT count(*) FROM jobs WHERE content_id = ?1 AND";
    let sql = format!("{sql} kind = '{kind}' AND state = '{state}'");
    let look = async || Ok((fleet.stack.count(&sql, upload.content_id)? == 1).then_some(()));
    until(TIMEOUT, look, || format!("no {kind} job is {state}: {:#?}", fleet.row(upload))).await
}

/// Kills the origin several times while it works on the job of this kind, each time at another moment.
async fn kill_repeatedly(fleet: &mut OriginFleet, upload: &AcceptedUpload, origin: usize, kind: &str) -> Result<()> {
    for kill in 0..fixtures::cases(2, 10) {
        until_job(fleet, upload, kind, "claimed").await?;
        tokio::time::sleep(Duration::from_millis(200 + 250 * (kill % 5))).await;
        fleet.crash(origin)?;
        fleet.origins[origin].wait_until_ready().await?;
        fleet.expire_claim(upload).await?;
        fleet.stack.sweep().await?;
    }
    Ok(())
}

#[e2e(Own)]
async fn an_origin_that_is_killed_in_either_step_loses_nothing(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let origin = fleet.start("origin", &[]).await?;
    let upload = fleet.upload(&ENCODED.make(&fleet.folder)?).await?;
    kill_repeatedly(&mut fleet, &upload, origin, "video").await?;
    ensure!(fleet.status(&upload).await?["state"] == "processing");
    fleet.until_public(&upload, TIMEOUT).await?;
    let first = read_files(&fleet, &upload).await?;
    kill_repeatedly(&mut fleet, &upload, origin, "completion").await?;
    ensure!(fleet.status(&upload).await?["quality"] == "first");
    fleet.until_published(&upload, TIMEOUT).await?;
    let full = read_files(&fleet, &upload).await?;
    ensure_kept(&first, &full, &["hls/master.m3u8", "video.mp4"])?;
    let expected = told(&[("content.published", "first"), ("content.completed", "full")]);
    ensure!(events(&fleet, &upload).await? == expected, "{:?}", events(&fleet, &upload).await?);
    Ok(())
}

#[e2e(New)]
async fn a_video_that_is_deleted_between_the_steps_leaves_nothing(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    fleet.start("origin", &[]).await?;
    let upload = fleet.upload(&ENCODED.make(&fleet.folder)?).await?;
    fleet.until_public(&upload, TIMEOUT).await?;
    until_job(&fleet, &upload, "completion", "claimed").await?;
    let body = json!({ "content_uuid": upload.content_uuid });
    let request = stack.request(Method::POST, paths::DELETE_CONTENT).bearer_auth(&fleet.channel.key).json(&body);
    let answer = send(request).await?;
    ensure!(answer.status == 200, "{answer:?}");
    until_job(&fleet, &upload, "completion", "done").await?;
    // The origin stops at its next heartbeat, long before the objects are deleted.
    stack.change_rows("UPDATE cleanups SET noticed_at_unix = 1, due_at_unix = 1".to_owned()).await?;
    let folders = [format!("media/{}/", upload.content_uuid), "sources/".to_owned()];
    let look = async || {
        stack.sweep().await?;
        let objects = stack.objects()?;
        let is_left = objects.iter().any(|object| folders.iter().any(|folder| object.key.starts_with(folder)));
        Ok((!is_left && fleet.leftovers()?.is_empty()).then_some(()))
    };
    until(TIMEOUT, look, || format!("{:#?}\n{:?}", stack.objects(), fleet.leftovers())).await
}

#[e2e(Own)]
async fn captions_and_a_picture_that_are_sent_between_the_steps_stay(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    fleet.start("origin", &[]).await?;
    let upload = fleet.upload(&ENCODED.make(&fleet.folder)?).await?;
    let public = fleet.until_public(&upload, TIMEOUT).await?;
    let first = PublishedFiles { fleet: &fleet, upload: &upload, status: &public };
    let captions = b"WEBVTT\n\n00:00.000 --> 00:02.000\nBetween the steps.\n";
    let form = Form::new().text("content_uuid", &upload.content_uuid).text("language", "en");
    let form = form.file("captions_file", "a.vtt", captions);
    let request = stack.request(Method::POST, paths::UPDATE_CAPTIONS).bearer_auth(&fleet.channel.key);
    let answer = send(request.header("Content-Type", Form::content_type()).body(form.body())).await?;
    ensure!(answer.status == 200, "{answer:?}");
    let (poster, storyboard) = (first.file("poster.jpg").await?, first.file("storyboard.jpg").await?);
    let sent = picture(&fleet.folder, "sent.jpg", "purple")?;
    ensure!(send_picture(&fleet, &upload, &sent).await?["thumbnail_change"] == "pending");
    let look = async || {
        let status = fleet.status(&upload).await?;
        let is_changed = ["captions_change", "thumbnail_change"].iter().all(|change| status[change].is_null());
        Ok(Some(status).filter(|status| status["quality"] == "full" && is_changed))
    };
    let status = until(TIMEOUT, look, || "captions, the picture or renditions are missing".to_owned()).await?;
    ensure!(status["subtitles"][0]["language"] == "en" && status["captions"] == json!(["en"]), "{status:#}");
    let files = read_files(&fleet, &upload).await?;
    ensure!(files["poster.jpg"] != poster && files["storyboard.jpg"] == storyboard);
    let master = String::from_utf8(files["hls/master.m3u8"].clone())?;
    ensure!(master.contains("LANGUAGE=\"en\"") && master.contains("720p.m3u8"), "{master}");
    Ok(())
}

/// Returns the number of jobs that an origin has finished.
async fn processed(fleet: &OriginFleet, index: usize) -> Result<Option<String>> {
    let origin = fleet.origins.get(index).context("no such origin")?;
    let metrics = send(fleet.stack.client.get(format!("http://{}/metrics", origin.address))).await?.bytes;
    let metrics = String::from_utf8(metrics)?;
    let number = metrics.lines().find_map(|line| line.strip_prefix("clipgate_jobs_total{outcome=\"processed\"} "));
    Ok(number.map(str::to_owned))
}

#[e2e(Limited(StackLimits::COMPLETIONS))]
async fn an_origin_of_the_completion_jobs_takes_nothing_else(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let queue = stack.env().get("QUEUE_COMPLETIONS_ID").to_owned();
    let completer = fleet.start("completer", &[("QUEUE_ID", &queue)]).await?;
    let upload = fleet.upload(&ENCODED.make(&fleet.folder)?).await?;
    // Several polls of the origin.
    tokio::time::sleep(Duration::from_secs(2)).await;
    ensure!(fleet.row(&upload)?["job_state"] == "due", "{:#?}", fleet.row(&upload)?);
    let origin = fleet.start("origin", &[]).await?;
    fleet.until_published(&upload, TIMEOUT).await?;
    for index in [completer, origin] {
        let look = async || Ok(processed(&fleet, index).await?.filter(|number| number == "1"));
        until(TIMEOUT, look, || format!("the origin {index} has not finished one job")).await?;
    }
    Ok(())
}
