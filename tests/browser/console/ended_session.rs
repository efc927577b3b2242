//! Text that was typed before the session ended stays in its field, and can be sent after signing in again.

use super::{Console, WITHIN, filled_views, sign_in};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::sync::Arc;
use tests::browser;
use tests::browser::{Browser, BrowserStack};

/// A form of the console: its view, the buttons that open it, the label of a field, and the button that sends it.
struct Form {
    view: &'static str,
    opened_by: &'static [&'static str],
    field: &'static str,
    sent_by: &'static str,
}

const FORMS: [Form; 2] = [
    Form { view: "/console/uploads/{video}", opened_by: &[], field: "External ID", sent_by: "Save changes" },
    Form { view: "/console/key", opened_by: &["Delete key"], field: "Type ", sent_by: "Delete key" },
];

const SHOWS_THE_END: &str = "return document.body.innerText.includes('Your session has expired')";

#[browser]
async fn what_was_typed_stays_when_the_session_ends(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    for form in FORMS {
        try_form(&stack, &browser, &form).await.with_context(|| form.view)?;
    }
    Ok(())
}

async fn try_form(stack: &BrowserStack, browser: &Browser, form: &Form) -> Result<()> {
    let console = Console::open_filled(stack, browser).await?;
    let video = &stack.content().await?.status.content.content_uuid;
    console.go(&form.view.replace("{video}", video)).await?;
    for button in form.opened_by {
        console.press(button).await?;
    }
    // The hint of a key is what has to be typed to delete it: the request is sent.
    let hint = "return fetch('/api/php/user_settings/get_api_key').then(response => response.json())
        .then(({ key }) => key.key_hint)";
    let text = match form.field {
        "Type " => console.run(hint).await?.as_str().context("no hint")?.to_owned(),
        _ => "Typed before the end".to_owned(),
    };
    console.fill(form.field, &text).await?;
    browser.devtools("Network.clearBrowserCookies", &json!({})).await?;
    console.press(form.sent_by).await?;
    console.until(WITHIN, "the end of the session", SHOWS_THE_END).await?;
    let value = format!("return field({})?.value === {}", json!(form.field), json!(text));
    console.until(WITHIN, "what was typed", &value).await
}

/// Whoever signs in again in another tab goes on where the session ended.
#[browser]
async fn after_signing_in_again_the_same_page_goes_on(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let session = stack.new_session().await?;
    let console = Console::open_as(&stack, &browser, &session.session_cookie, "/console/upload").await?;
    console.until_text("Drop a video here").await?;
    browser.choose_file("input[type=file]", stack.clip()).await?;
    console.fill("Caption", "Typed before the end").await?;
    browser.devtools("Network.clearBrowserCookies", &json!({})).await?;
    console.press("Upload video").await?;
    console.until(WITHIN, "the end of the session", SHOWS_THE_END).await?;
    sign_in(&browser, stack.base(), &session.session_cookie).await?;
    console.press("Continue").await?;
    console
        .until(WITHIN, "the page as before", "return !document.body.innerText.includes('Your session has expired')")
        .await?;
    console.press("Try again").await?;
    let is_sent = "return fetch('/api/php/developer/uploads').then(response => response.json())
        .then(({ uploads }) => uploads[0]?.caption === 'Typed before the end')";
    console.until(WITHIN, "the upload", is_sent).await
}

/// A view that only shows something stays as it is, and says that the session has ended.
#[browser]
async fn every_view_says_that_the_session_has_ended(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    for (view, text) in &filled_views(&stack).await? {
        let console = Console::open_filled(&stack, &browser).await?;
        console.show(view, text).await?;
        browser.devtools("Network.clearBrowserCookies", &json!({})).await?;
        // Another place of the console, and back, as somebody does who goes on working.
        for link in ["/console", view.as_str()] {
            let go =
                format!("history.pushState(null, '', {}); dispatchEvent(new PopStateEvent('popstate'));", json!(link));
            console.run(&go).await?;
            console.until(WITHIN, "the end of the session", SHOWS_THE_END).await.with_context(|| view.clone())?;
        }
        let is_whole =
            "return !!document.querySelector('nav') && !document.body.innerText.includes('Sign in to your console')";
        ensure!(console.run(is_whole).await? == true, "{view}");
    }
    Ok(())
}
