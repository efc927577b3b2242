//! The life of a video in the console: uploaded by the page, followed, edited, captioned and deleted.

use super::{Console, WITHIN};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tests::browser;
use tests::browser::{Browser, BrowserStack};

const PUBLISHED_WITHIN: Duration = Duration::from_mins(2);

/// Returns the first video of the signed-in user, as the API shows it.
async fn first_video(console: &Console<'_>) -> Result<Value> {
    let list = "return fetch('/api/php/developer/uploads').then(response => response.json())";
    Ok(console.run(list).await?["uploads"][0].clone())
}

async fn until_video(console: &Console<'_>, what: &str, condition: impl Fn(&Value) -> bool) -> Result<()> {
    let meets = async || Ok(Some(first_video(console).await?).filter(&condition));
    tests::until(PUBLISHED_WITHIN, meets, || what.to_owned()).await.map(drop)
}

async fn choose(browser: &Browser, console: &Console<'_>, file: &Path) -> Result<()> {
    console.until_text("Drop a video here").await?;
    browser.choose_file("input[type=file]", file).await
}

#[browser]
async fn a_video_is_uploaded_followed_edited_captioned_and_deleted(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/upload").await?;
    choose(&browser, &console, stack.clip()).await?;
    console.fill("Caption", "From the console").await?;
    console.press("Upload video").await?;
    console.until(PUBLISHED_WITHIN, "Published", "return shown().innerText.includes('Published')").await?;
    let video = first_video(&console).await?;
    ensure!(video["state"] == "published" && video["caption"] == "From the console", "{video}");

    console.press("Open in Uploads").await?;
    console
        .until(WITHIN, "the video's page", "return document.querySelector('h1')?.innerText === 'From the console'")
        .await?;
    ensure!(
        console.run("return location.pathname").await? == format!("/console/uploads/{}", text(&video, "content_uuid")?)
    );
    console.fill("Caption", "Edited there").await?;
    console.press("Save changes").await?;
    until_video(&console, "the new caption", |video| video["caption"] == "Edited there").await?;
    console.until(WITHIN, "the new title", "return document.querySelector('h1')?.innerText === 'Edited there'").await?;

    let folder = stack.new_folder()?;
    let captions = folder.path().join("a.vtt");
    std::fs::write(&captions, "WEBVTT\n\n00:00.000 --> 00:02.000\nGuten Tag\n")?;
    console.fill("Add a language", "de").await?;
    browser.choose_file("input[type=file][accept*=vtt]", &captions).await?;
    console.until_text("German").await?;
    until_video(&console, "the captions", |video| {
        video["captions"] == json!(["de"]) && video["captions_change"].is_null()
    })
    .await?;

    console.press("Delete video").await?;
    console.until_text("Delete “Edited there”?").await?;
    console.press("Delete video").await?;
    console.until_text("No uploads yet").await?;
    console.ensure_clean().await
}

/// Nothing is sent if the page sees that the service would refuse it; otherwise, the service's own words are shown.
#[browser]
async fn a_file_that_is_no_video_is_refused_with_what_to_do(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/upload").await?;
    let folder = stack.new_folder()?;
    let file = folder.path().join("notes.mp4");
    std::fs::write(&file, "no video at all".repeat(1_000))?;
    choose(&browser, &console, &file).await?;
    let is_offered = "return !!(named('button', 'Upload video') ?? named('button', 'Upload anyway'))";
    console.until(WITHIN, "a button", is_offered).await?;
    console.run("(named('button', 'Upload video') ?? named('button', 'Upload anyway')).click()").await?;
    console.until_text("content_file_invalid_format").await?;
    console.press("Choose another video").await?;
    console.until_text("Drop a video here").await?;
    ensure!(first_video(&console).await?.is_null());
    console.ensure_clean_but_for(Some(415)).await
}

fn text<'v>(video: &'v Value, name: &str) -> Result<&'v str> {
    video[name].as_str().with_context(|| format!("no {name}"))
}
