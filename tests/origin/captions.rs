//! Captions that an owner sends, made by a real origin: besides the tracks of the source, in HLS, in DASH and on the
//! page.

use crate::moderation::fleet_with_classifier;
use anyhow::{Context, Result, ensure};
use contract::{MediaFile, ObjectKey, paths};
use fixtures::Form;
use reqwest::Method;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tests::{AcceptedUpload, OriginFleet, TestStack, e2e, ffmpeg, run_to_end, send, until};

const TIMEOUT: Duration = Duration::from_mins(2);
const GERMAN: &str = "\u{feff}1\n00:00:01,000 --> 00:00:02,000\nGr\u{fc}\u{df}e <script>alert(1)</script>\n";
const ENGLISH: &str =
    "WEBVTT\n\nSTYLE\n::cue { color: red }\n\n00:01.500 --> 01:00.000 line:0\nCorrected &amp; complete\n";

async fn send_captions(fleet: &OriginFleet, upload: &AcceptedUpload, language: &str, file: &str) -> Result<Value> {
    let form = Form::new().text("content_uuid", &upload.content_uuid).text("language", language);
    let form = form.file("captions_file", "captions", file.as_bytes());
    let request = fleet.stack.request(Method::POST, paths::UPDATE_CAPTIONS).bearer_auth(&fleet.channel.key);
    let answer = send(request.header("Content-Type", Form::content_type()).body(form.body())).await?;
    ensure!(answer.status == 200, "{answer:?}");
    until_changed(fleet, upload).await
}

async fn delete_captions(fleet: &OriginFleet, upload: &AcceptedUpload, language: &str) -> Result<Value> {
    let body = json!({ "content_uuid": upload.content_uuid, "language": language });
    let request = fleet.stack.request(Method::POST, paths::DELETE_CAPTIONS).bearer_auth(&fleet.channel.key);
    let answer = send(request.json(&body)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    until_changed(fleet, upload).await
}

/// Waits until the change is made or has failed, and returns the status.
async fn until_changed(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<Value> {
    let look = async || Ok(Some(fleet.status(upload).await?).filter(|status| status["captions_change"] != "pending"));
    until(TIMEOUT, look, || "the captions are still pending".to_owned()).await
}

async fn text(fleet: &OriginFleet, url: &Value) -> Result<String> {
    let path = url.as_str().and_then(|url| url.strip_prefix(fleet.stack.env().get("SITE_URL")));
    let answer = fleet.stack.get(path.with_context(|| format!("no address: {url}"))?).await?;
    ensure!(answer.status == 200, "{url}: {answer:?}");
    Ok(String::from_utf8(answer.bytes)?)
}

/// Returns a file that the first job stored.
async fn first_file(fleet: &OriginFleet, upload: &AcceptedUpload, file: MediaFile) -> Result<String> {
    let key = ObjectKey::Media { content_uuid: &upload.content_uuid, generation: 1, file };
    Ok(String::from_utf8(fleet.stack.object_bytes(&key.path()).await?)?)
}

fn languages(status: &Value) -> Vec<&str> {
    let tracks = status["subtitles"].as_array().into_iter().flatten();
    tracks.filter_map(|track| track["language"].as_str()).collect()
}

/// Returns a clip with an English track, which is the default, and a French one.
fn clip_with_subtitles(folder: &Path) -> Result<Vec<u8>> {
    let path = folder.join("subtitles.mkv");
    let srt = folder.join("source.srt");
    std::fs::write(&srt, "1\n00:00:00,500 --> 00:00:01,500\nfrom the source\n")?;
    let mut make = ffmpeg();
    make.args(["-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=3", "-f", "lavfi", "-i", "sine=r=48000:d=3"]);
    make.arg("-i").arg(&srt).arg("-i").arg(&srt);
    make.args(
        "-map 0 -map 1 -map 2 -map 3 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac -c:s copy".split(' '),
    );
    make.args("-metadata:s:s:0 language=eng -metadata:s:s:1 language=fre -disposition:s:0 default".split(' '));
    run_to_end({
        make.arg(&path);
        make
    })?;
    Ok(std::fs::read(path)?)
}

#[e2e(Own)]
async fn sent_captions_stand_beside_the_subtitles_of_the_source(stack: Arc<TestStack>) -> Result<()> {
    let (fleet, classifier) = fleet_with_classifier(&stack).await?;
    // The first captions come with the upload. The sweep sends their job when it is approved.
    let with_captions = |form: Form| form.file("captions_file_de", "a.srt", GERMAN.as_bytes());
    let upload = fleet.upload_with(&clip_with_subtitles(&fleet.folder)?, with_captions).await?;
    fleet.until_published(&upload, TIMEOUT).await?;
    let playlist = first_file(&fleet, &upload, MediaFile::MasterPlaylist).await?;
    let manifest = first_file(&fleet, &upload, MediaFile::DashManifest).await?;
    fleet.stack.sweep().await?;
    let status = until_changed(&fleet, &upload).await?;
    ensure!(status["captions_change"].is_null() && languages(&status) == ["en", "fr", "de"], "{status}");
    ensure!(classifier.got_text("Gr\u{fc}\u{df}e alert(1)"), "the classifier did not get the text");
    let track = text(&fleet, &status["subtitles"][2]["url"]).await?;
    ensure!(track.ends_with("\n\n00:00:01.000 --> 00:00:02.000\nGr\u{fc}\u{df}e alert(1)\n"), "{track}");
    // Captions replace the track of the source in their language, and end with the video.
    let status = send_captions(&fleet, &upload, "en", ENGLISH).await?;
    ensure!(languages(&status) == ["fr", "de", "en"] && status["subtitles"][2]["is_default"] == true, "{status}");
    let track = text(&fleet, &status["subtitles"][2]["url"]).await?;
    ensure!(
        track.contains("\n\n00:00:01.500 --> 00:00:03.0") && track.ends_with("\nCorrected &amp; complete\n"),
        "{track}"
    );
    let listed = text(&fleet, &status["urls"]["hls"]).await?;
    ensure!(
        listed.contains("NAME=\"Deutsch\",LANGUAGE=\"de\"") && listed.contains("URI=\"subtitles-3.m3u8\""),
        "{listed}"
    );
    ensure!(text(&fleet, &status["urls"]["dash"]).await?.matches("contentType=\"text\"").count() == 3);
    let page = text(&fleet, &status["urls"]["page"]).await?;
    ensure!(page.contains("srclang=\"de\" label=\"Deutsch\"") && page.contains("srclang=\"en\""), "{page}");
    // Captions that the classifier rejects change nothing.
    classifier.recommend("reject");
    let refused = send_captions(&fleet, &upload, "de", "WEBVTT\n\n00:01.000 --> 00:02.000\nhate\n").await?;
    ensure!(refused["captions_error_message_code"] == "content_moderation_rejected", "{refused}");
    ensure!(languages(&refused) == ["fr", "de", "en"] && text(&fleet, &status["urls"]["hls"]).await? == listed);
    // Every change examines all remaining text. Without captions, everything is as the first job made it.
    classifier.recommend("pass");
    let status = delete_captions(&fleet, &upload, "de").await?;
    ensure!(status["captions_change"].is_null() && languages(&status) == ["fr", "en"], "{status}");
    classifier.recommend("reject");
    let status = delete_captions(&fleet, &upload, "en").await?;
    ensure!(status["captions_change"].is_null() && languages(&status) == ["en", "fr"], "{status}");
    ensure!(text(&fleet, &status["urls"]["hls"]).await? == playlist);
    ensure!(text(&fleet, &status["urls"]["dash"]).await? == manifest);
    ensure!(fleet.leftovers()?.is_empty(), "{:?}", fleet.leftovers()?);
    Ok(())
}
