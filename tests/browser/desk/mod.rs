//! The desk of moderators in Chromium, on the real stack.

mod appeals;
mod decisions;
mod looks;
mod people;
mod places;

use super::accessibility::HEIGHT;
use super::console::{Console, WITHIN};
use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use std::ops::Deref;
use std::process::Command;
use std::time::Duration;
use tests::browser::{Browser, BrowserStack};
use tests::until;

/// A decision is sent ten seconds after it was made.
const SENT_WITHIN: Duration = Duration::from_secs(40);
/// The time for an origin to examine a short clip on a busy machine.
const EXAMINED_WITHIN: Duration = Duration::from_mins(2);

/// A moderator in front of the desk.
struct Desk<'a>(Console<'a>);

impl<'a> Deref for Desk<'a> {
    type Target = Console<'a>;

    fn deref(&self) -> &Console<'a> {
        &self.0
    }
}

impl<'a> Desk<'a> {
    /// Signs a moderator in, by a new token of this name with these roles.
    async fn sign_in(stack: &BrowserStack, browser: &'a Browser, name: &str, roles: &[&str]) -> Result<Self> {
        let body = json!({ "name": name, "roles": roles, "ttl_seconds": 3_600 });
        let token = answer(stack.moderator_request(Method::POST, paths::TOKENS).json(&body)).await?;
        browser.resize(1_280, HEIGHT).await?;
        let desk = Self(Console::page(stack, browser));
        desk.show(paths::DESK, "Sign in to the desk").await?;
        desk.fill("Token", token["token"].as_str().context("no token")?).await?;
        desk.press("Sign in").await?;
        desk.until_text("To decide").await?;
        // Before that, the service says that nobody is signed in.
        desk.ensure_clean_but_for(Some(401)).await?;
        Ok(desk)
    }

    /// Opens the case of a video, and waits until it is claimed.
    async fn open(&self, uuid: &str) -> Result<()> {
        self.show(&format!("/desk/video/{uuid}"), "Hand over").await
    }
}

async fn answer(request: reqwest::RequestBuilder) -> Result<Value> {
    let response = request.send().await?;
    let (status, text) = (response.status(), response.text().await?);
    ensure!(status.is_success(), "{status}: {text}");
    Ok(serde_json::from_str(&text)?)
}

/// Returns the case of a video.
async fn case(stack: &BrowserStack, uuid: &str) -> Result<Value> {
    let path = format!("{}?content_uuid={uuid}", paths::MODERATION_CASE);
    answer(stack.moderator_request(Method::GET, &path)).await
}

async fn until_state(stack: &BrowserStack, uuid: &str, state: &str) -> Result<Value> {
    let reached = async || Ok(Some(case(stack, uuid).await?).filter(|case| case["content"]["state"] == state));
    until(SENT_WITHIN, reached, || format!("the video is not {state}")).await
}

/// A video in a channel of its own, which waits for a person.
struct WaitingVideo {
    uuid: String,
    /// The cookie of its owner's session.
    owner: String,
}

/// Uploads a video that a person has to look at, and waits until an origin has examined it.
async fn waiting_video(stack: &BrowserStack, caption: &str) -> Result<WaitingVideo> {
    let folder = stack.new_folder()?;
    let clip = folder.path().join("black.mp4");
    // Each file is another one, so that rejecting one does not block the others.
    let title = format!("title={caption}");
    let made = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "color=black:size=320x180:rate=25:duration=4"])
        .args(["-pix_fmt", "yuv420p", "-metadata", &title])
        .arg(&clip)
        .status()?;
    ensure!(made.success(), "ffmpeg: {made}");
    let owner = stack.new_session().await?.session_cookie;
    let created = stack.client.post(format!("{}{}", stack.base(), paths::CREATE_API_KEY)).header("Cookie", &owner);
    let key = answer(created.json(&json!({}))).await?;
    let upload = stack.client.post(format!("{}{}", stack.base(), paths::UPLOAD_VIDEO));
    let upload = upload.bearer_auth(key["api_key"].as_str().context("no key")?);
    let form = Form::new().text("caption", caption.to_owned()).text("ai_summary_of_content", caption.to_owned());
    let form = form.part("file", Part::bytes(std::fs::read(&clip)?).file_name("black.mp4"));
    let uploaded = answer(upload.multipart(form)).await?;
    let uuid = uploaded["content_uuid"].as_str().context("no id")?.to_owned();
    let waits = async || Ok((case(stack, &uuid).await?["content"]["waits_for"] == "person").then_some(()));
    until(EXAMINED_WITHIN, waits, || "the video does not wait for a person".to_owned()).await?;
    Ok(WaitingVideo { uuid, owner })
}
