//! The preparations of the desk's tests: small clips, videos in channels of their own, reports, appeals, and requests
//! of moderators.

use super::{answer, case, new_token, waiting_upload};
use anyhow::{Context, Result};
use contract::paths;
use contract::subtitles::CAPTIONS_FIELD_PREFIX;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tests::browser::BrowserStack;
use tests::{ffmpeg, run_to_end, until};

/// A black picture. It has no hash, so that a person has to look at it, and that it resembles no other video.
pub(super) const BLACK: &str = "color=black:size=320x180:rate=25";

/// A video in a channel of its own.
pub(super) struct UploadedVideo {
    pub(super) uuid: String,
    /// The session cookie of the video's owner.
    pub(super) owner: String,
    /// The API key of its channel.
    pub(super) key: String,
}

/// Makes a clip of an ffmpeg filter graph. Each title makes another file, so that rejecting one blocks no other.
pub(super) fn make_clip(path: &Path, graph: &str, seconds: &str, title: &str) -> Result<()> {
    let mut make = ffmpeg();
    make.args(["-f", "lavfi", "-i", graph, "-t", seconds, "-c:v", "libx264", "-preset", "ultrafast"]);
    make.args(["-pix_fmt", "yuv420p", "-metadata", &format!("title={title}")]).arg(path);
    run_to_end(make).map(drop)
}

/// The texts of an upload.
#[derive(Clone, Copy, Debug)]
pub(super) struct UploadTexts<'a> {
    pub(super) caption: &'a str,
    pub(super) summary: &'a str,
    pub(super) channel_name: Option<&'a str>,
    /// English subtitles as WebVTT.
    pub(super) subtitles: Option<&'a str>,
}

/// Uploads a file as a new channel. Does not wait until it is examined.
pub(super) async fn upload(stack: &BrowserStack, caption: &str, file: &Path) -> Result<UploadedVideo> {
    let texts = UploadTexts { caption, summary: caption, channel_name: None, subtitles: None };
    upload_with(stack, texts, file).await
}

/// Uploads a file with these texts as a new channel. Does not wait until it is examined.
pub(super) async fn upload_with(stack: &BrowserStack, texts: UploadTexts<'_>, file: &Path) -> Result<UploadedVideo> {
    let owner = stack.new_session_named(texts.channel_name).await?.session_cookie;
    let url = |path: &str| format!("{}{path}", stack.base());
    let created = stack.client.post(url(paths::CREATE_API_KEY)).header("Cookie", &owner);
    let created = answer(created.json(&json!({}))).await?;
    let key = created["api_key"].as_str().context("no key")?.to_owned();
    let mut form = Form::new().text("caption", texts.caption.to_owned());
    form = form.text("ai_summary_of_content", texts.summary.to_owned());
    if let Some(subtitles) = texts.subtitles {
        let part = Part::text(subtitles.to_owned()).file_name("en.vtt");
        form = form.part(format!("{CAPTIONS_FIELD_PREFIX}en"), part);
    }
    form = form.part("file", Part::bytes(std::fs::read(file)?).file_name("clip.mp4"));
    let sent = answer(stack.client.post(url(paths::UPLOAD_VIDEO)).bearer_auth(&key).multipart(form)).await?;
    let uuid = sent["content_uuid"].as_str().context("no id")?.to_owned();
    Ok(UploadedVideo { uuid, owner, key })
}

/// Uploads one file to three channels, and waits until all wait for a person. The captions are the name with a number
/// from 1. Returns the ids in this order, which is also the order in which the videos wait.
pub(super) async fn three_copies(stack: &BrowserStack, name: &str) -> Result<[String; 3]> {
    let folder = stack.new_folder()?;
    let clip = folder.path().join("black.mp4");
    make_clip(&clip, BLACK, "4", name)?;
    let upload = async |number: u8| waiting_upload(stack, &clip, &format!("{name} {number}")).await;
    Ok([upload(1).await?.uuid, upload(2).await?.uuid, upload(3).await?.uuid])
}

/// Waits until a video is published or rejected, or waits for a person, and returns its case.
pub(super) async fn until_examined(stack: &BrowserStack, uuid: &str, within: Duration) -> Result<Value> {
    let examined = async || {
        let found = case(stack, uuid).await?;
        let is_examined = found["content"]["state"] != "processing" || found["content"]["waits_for"] == "person";
        Ok(is_examined.then_some(found))
    };
    until(within, examined, || format!("the video {uuid} was not examined")).await
}

/// A report of a viewer.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewerReport<'a> {
    pub(super) reason: &'a str,
    pub(super) text: &'a str,
    /// The viewer's address. Each address counts once for a video.
    pub(super) address: &'a str,
}

/// Reports the page of the video in this case.
pub(super) async fn report(stack: &BrowserStack, case: &Value, report: ViewerReport<'_>) -> Result<()> {
    let slug = case["content"]["slug_url"].as_str().context("no slug")?;
    let page = format!("{}{}{slug}", stack.base(), paths::PAGE);
    let request = stack.client.post(format!("{}{}", stack.base(), paths::REPORT_PAGE));
    let body = json!({ "page": page, "reason": report.reason, "text": report.text });
    answer(request.header("CF-Connecting-IP", report.address).json(&body)).await.map(drop)
}

/// Appeals against a decision as the owner of the video.
pub(super) async fn appeal(stack: &BrowserStack, video: &UploadedVideo, text: &str) -> Result<()> {
    let request = stack.client.post(format!("{}{}", stack.base(), paths::APPEAL_CONTENT)).bearer_auth(&video.key);
    answer(request.json(&json!({ "content_uuid": video.uuid, "text": text }))).await.map(drop)
}

/// A moderator who uses the API with a token, as with curl.
pub(super) struct ApiModerator<'a> {
    stack: &'a BrowserStack,
    token: String,
}

impl<'a> ApiModerator<'a> {
    /// Creates a token of this name with these roles.
    pub(super) async fn new(stack: &'a BrowserStack, name: &str, roles: &[&str]) -> Result<Self> {
        Ok(Self { stack, token: new_token(stack, name, roles).await? })
    }

    pub(super) async fn get(&self, path: &str) -> Result<Value> {
        answer(self.stack.client.get(format!("{}{path}", self.stack.base())).bearer_auth(&self.token)).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<()> {
        let request = self.stack.client.post(format!("{}{path}", self.stack.base()));
        answer(request.bearer_auth(&self.token).json(body)).await.map(drop)
    }

    /// Returns a file at an address that the service has given.
    pub(super) async fn file(&self, url: &str) -> Result<Vec<u8>> {
        let response = self.stack.client.get(url).bearer_auth(&self.token).send().await?.error_for_status()?;
        Ok(response.bytes().await?.to_vec())
    }

    /// Removes a published video for violence.
    pub(super) async fn take_down(&self, uuid: &str) -> Result<()> {
        let decision = json!({ "content_uuid": uuid, "reason": "it looked violent", "policy_code": "violence" });
        self.post(paths::MODERATION_TAKE_DOWN, &decision).await
    }
}
