//! One-time tokens in the console: created, used by a device, and revoked.

use super::{Console, WITHIN, save_shown_secret};
use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::StatusCode;
use reqwest::multipart::{Form, Part};
use serde_json::Value;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

/// Uploads the clip as the user's device does.
async fn upload(stack: &BrowserStack, token: &str) -> Result<(StatusCode, Value)> {
    let file = Part::bytes(std::fs::read(stack.clip())?).file_name("clip.mp4");
    let request = stack.client.post(format!("{}{}", stack.base(), paths::DIRECT_UPLOAD)).bearer_auth(token);
    let response = request.multipart(Form::new().part("file", file)).send().await?;
    Ok((response.status(), response.json().await?))
}

/// Sends the form, and returns the token that the page shows.
async fn create(console: &Console<'_>, field: &str, text: &str) -> Result<String> {
    console.press("Create direct upload").await?;
    console.fill(field, text).await?;
    console.press("Create direct upload").await?;
    console.until_text("Save your token now").await?;
    let has_token = "const token = field('One-time token').value;
        return [...document.querySelectorAll('dialog pre')].some(code => code.textContent.includes(token))";
    console.until(WITHIN, "a command with the token", has_token).await?;
    save_shown_secret(console, "Save your token now", "One-time token").await
}

#[browser]
async fn a_token_is_created_and_used_and_another_one_revoked(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/direct-uploads").await?;
    console.until_text("No direct uploads yet").await?;
    let used = create(&console, "External ID", "user-7").await?;
    console.until_text("user-7").await?;
    console.until_text("Expires in").await?;
    let (status, uploaded) = upload(&stack, &used).await?;
    ensure!(status == StatusCode::OK, "{uploaded}");
    let uuid = uploaded["content_uuid"].as_str().context("no video")?;
    // The list follows by itself.
    let link = format!("return !!document.querySelector('.rows a[href=\"/console/uploads/{uuid}\"]')");
    console.until(WITHIN, "the video of the token", &link).await?;
    console.until_text("Used").await?;

    let revoked = create(&console, "Allowed origin", "https://App.example/page").await?;
    console.press("app.example").await?;
    console.until_text("https://app.example").await?;
    console.press("Revoke token").await?;
    console.until_text("an upload in progress with it is canceled").await?;
    console.press("Revoke token").await?;
    console.until(WITHIN, "no dialog", "return !document.querySelector('dialog[open]')").await?;
    console.until_text("Revoked").await?;
    let (status, refused) = upload(&stack, &revoked).await?;
    ensure!(
        status == StatusCode::UNAUTHORIZED && refused["error_message_code"] == "direct_upload_token_invalid",
        "{refused}"
    );

    console.go("/console/direct-uploads?state=used").await?;
    console.until_text("user-7").await?;
    let rows = console.run("return document.querySelectorAll('.rows > li').length").await?;
    ensure!(rows == 1, "{rows} rows are used");
    console.ensure_clean().await
}

/// A value that the service rejects is told at its field, and nothing that was typed is lost.
#[browser]
async fn a_wrong_value_is_told_at_its_field(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/direct-uploads?view=create").await?;
    console.fill("External ID", "user-7").await?;
    console.choose("Who sets: Metadata", "I set it").await?;
    console.fill("Value of Metadata", "no JSON").await?;
    console.press("Create direct upload").await?;
    let told = "const wrong = document.querySelector('[aria-invalid]');
        const error = document.getElementById(wrong?.getAttribute('aria-describedby'));
        return !!error?.textContent.includes('is not JSON') && wrong.value === 'no JSON'";
    console.until(WITHIN, "the error at its field", told).await?;
    ensure!(console.run("return field('External ID').value").await? == "user-7");
    console.ensure_clean_but_for(Some(422)).await
}
