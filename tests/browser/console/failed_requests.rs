//! The console shows the requests of a program that failed: by code, with what to do, and while it is open.

use super::{Console, WITHIN};
use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::multipart::Form;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

/// A program may name itself like this.
const PROGRAM: &str = "<img src=x onerror=window.pwned=1>";

/// Sends an upload without a file, and returns the id of the request.
async fn fail(stack: &BrowserStack, key: &str) -> Result<String> {
    let form = Form::new().text("caption", "A form without a file");
    let request = stack.client.post(format!("{}{}", stack.base(), paths::UPLOAD_VIDEO)).multipart(form);
    let response = request.bearer_auth(key).header("User-Agent", PROGRAM).send().await?;
    ensure!(response.status() == 400, "{response:?}");
    Ok(response.headers().get("x-request-id").context("no id")?.to_str()?.to_owned())
}

#[browser]
async fn requests_that_failed_are_listed_by_code_and_followed(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/failed-requests").await?;
    console.until_text("No failed requests in the last 7 days").await?;
    let create = "return fetch('/api/php/user_settings/create_api_key', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}',
    }).then(response => response.json()).then(({ api_key }) => api_key)";
    let key = console.run(create).await?.as_str().context("no key")?.to_owned();

    let first = fail(&stack, &key).await?;
    console.until_text("1 in 7 days").await?;
    console.until_text("The form has no video in a field named file.").await?;
    console.run("document.querySelector('[data-code=file_not_found]').click()").await?;
    for shown in ["Send the video in exactly that field.", PROGRAM, &first, "POST /api/php/developer/upload_video"] {
        console.until_text(shown).await?;
    }
    let docs = "return named('a', 'About this error').href.endsWith('/docs/errors/file_not_found')";
    ensure!(console.run(docs).await? == true);
    let second = fail(&stack, &key).await?;
    console.until_text("The last 2 requests").await?;
    console.until_text(&second).await?;
    console.press("24 hours").await?;
    console.until_text("in the last 24 hours").await?;
    console.until_text("per hour").await?;
    console.press("Show as a table").await?;
    console.until(WITHIN, "the table", "return document.querySelectorAll('.hours tbody tr').length > 0").await?;
    ensure!(console.run("return window.pwned ?? null").await?.is_null(), "the name of the program runs");

    console.go("/console").await?;
    console.press("2 requests from your programs failed").await?;
    console.until_text("2 in 24 hours").await?;
    ensure!(console.run("return location.pathname").await? == "/console/failed-requests");
    console.ensure_clean().await
}
