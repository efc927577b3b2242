//! The API key in the console, from the first one to none.

use super::{Console, WITHIN, save_shown_secret};
use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::StatusCode;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

async fn status_of(stack: &BrowserStack, key: &str) -> Result<StatusCode> {
    let limits = format!("{}{}", stack.base(), paths::UPLOAD_LIMITS);
    Ok(stack.client.get(limits).bearer_auth(key).send().await?.status())
}

async fn save_key(console: &Console<'_>) -> Result<String> {
    save_shown_secret(console, "Save your key now", "API key").await
}

#[browser]
async fn a_key_is_created_rotated_and_deleted_and_shown_only_once(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/key").await?;
    console.until_text("No key yet").await?;
    console.press("Create key").await?;
    let first = save_key(&console).await?;
    ensure!(status_of(&stack, &first).await? == StatusCode::OK);
    console.go("/console/key").await?;
    console.until_text("Rotate key").await?;
    let page = console.run("return document.documentElement.outerHTML").await?;
    ensure!(!page.as_str().context("no page")?.contains(&first), "the key is shown again");

    console.press("Rotate key").await?;
    console.until_text("This cannot be undone").await?;
    console.press("Rotate key").await?;
    let second = save_key(&console).await?;
    ensure!(status_of(&stack, &first).await? == StatusCode::UNAUTHORIZED);
    ensure!(status_of(&stack, &second).await? == StatusCode::OK);

    console.press("Delete key").await?;
    console.fill("Type ", "wrong").await?;
    console.press("Delete key").await?;
    console.until_text("This is not the key's hint").await?;
    ensure!(status_of(&stack, &second).await? == StatusCode::OK);
    let hint = format!("{}...{}", &second[..8], &second[second.len() - 4..]);
    console.fill("Type ", &hint).await?;
    console.press("Delete key").await?;
    console.until_text("No key yet").await?;
    ensure!(status_of(&stack, &second).await? == StatusCode::UNAUTHORIZED);
    console.ensure_clean().await
}

#[browser]
async fn after_a_rotation_the_old_key_works_for_the_time_that_its_owner_chose(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/key").await?;
    console.press("Create key").await?;
    let first = save_key(&console).await?;
    console.press("Rotate key").await?;
    console.until_text("How long the old key stays valid").await?;
    let default = "return field('Revoke it now').checked && !field('1 hour').checked";
    ensure!(console.run(default).await? == true, "by default, the old key does not stop working");
    console.press("1 hour").await?;
    console.press("Rotate key").await?;
    console.until_text("The old key also works until").await?;
    let second = save_key(&console).await?;
    for key in [&first, &second] {
        ensure!(status_of(&stack, key).await? == StatusCode::OK);
    }
    console.go("/console/key").await?;
    console.until_text("Works until").await?;

    console.press("Rotate key").await?;
    console.until_text("The key from before the last rotation stops working").await?;
    console.press("24 hours").await?;
    console.press("Rotate key").await?;
    let third = save_key(&console).await?;
    ensure!(status_of(&stack, &first).await? == StatusCode::UNAUTHORIZED);
    for key in [&second, &third] {
        ensure!(status_of(&stack, key).await? == StatusCode::OK);
    }
    console.press("Rotate key").await?;
    console.until_text("This cannot be undone").await?;
    console.press("Rotate key").await?;
    let last = save_key(&console).await?;
    for key in [&second, &third] {
        ensure!(status_of(&stack, key).await? == StatusCode::UNAUTHORIZED);
    }
    ensure!(status_of(&stack, &last).await? == StatusCode::OK);
    console.until(WITHIN, "one key", "return !shown().innerText.includes('Works until')").await?;
    console.ensure_clean().await
}

#[browser]
async fn whoever_is_not_signed_in_is_led_to_the_site_and_back(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console { browser: &browser, base: stack.base().to_owned() };
    console.go("/console/key").await?;
    console.until_text("Sign in to your console").await?;
    console.press("Sign in").await?;
    console.until_text("Rotate key").await?;
    ensure!(console.run("return location.pathname").await? == "/console/key");
    // The address that `make run` prints.
    browser.open(stack.sign_in_url()).await?;
    console.until_text("of 50 uploads left").await?;
    ensure!(console.run("return location.pathname").await? == "/console");
    Ok(())
}
