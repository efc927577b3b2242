//! The desk of moderators in Chromium, on the real stack.

mod appeals;
mod decisions;
mod groups;
mod hostile;
mod looks;
mod matches;
mod people;
mod pictures;
mod places;
mod seeding;
mod working_day;
mod zoom;

use super::accessibility::HEIGHT;
use super::console::{Console, WITHIN};
use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use seeding::UploadedVideo;
use serde_json::{Value, json};
use std::ops::Deref;
use std::path::Path;
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
        let token = new_token(stack, name, roles).await?;
        browser.resize(1_280, HEIGHT).await?;
        let desk = Self(Console::page(stack, browser));
        desk.show(paths::DESK, "Sign in to the desk").await?;
        desk.fill("Token", &token).await?;
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

/// Creates a token of this name with these roles.
async fn new_token(stack: &BrowserStack, name: &str, roles: &[&str]) -> Result<String> {
    let body = json!({ "name": name, "roles": roles, "ttl_seconds": 3_600 });
    let made = answer(stack.moderator_request(Method::POST, paths::TOKENS).json(&body)).await?;
    Ok(made["token"].as_str().context("no token")?.to_owned())
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
    /// The session cookie of the video's owner.
    owner: String,
}

/// Uploads a video that a person has to look at, and waits until an origin has examined it.
async fn waiting_video(stack: &BrowserStack, caption: &str) -> Result<WaitingVideo> {
    let folder = stack.new_folder()?;
    let clip = folder.path().join("black.mp4");
    seeding::make_clip(&clip, seeding::BLACK, "4", caption)?;
    waiting_upload(stack, &clip, caption).await
}

/// Uploads a file as a new channel, and waits until an origin has examined it and it waits for a person.
async fn waiting_upload(stack: &BrowserStack, clip: &Path, caption: &str) -> Result<WaitingVideo> {
    let UploadedVideo { uuid, owner, .. } = seeding::upload(stack, caption, clip).await?;
    let waits = async || Ok((case(stack, &uuid).await?["content"]["waits_for"] == "person").then_some(()));
    until(EXAMINED_WITHIN, waits, || "the video does not wait for a person".to_owned()).await?;
    Ok(WaitingVideo { uuid, owner })
}
