//! A webhook in the console, from the first one to none, with a receiver that gets real events.

use super::{Console, WITHIN};
use anyhow::{Context, Result, ensure};
use contract::{SigningSecret, WEBHOOK_ID, WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP, WebhookMessage};
use std::sync::Arc;
use std::time::Duration;
use tests::browser;
use tests::browser::BrowserStack;
use tests::{ReceivedEvent, WebhookReceiver, WebhookReply};

const PUBLISHED_WITHIN: Duration = Duration::from_mins(2);
/// The receiver's response to each event.
const REPLY: &str = "Thank you, that was an event";

/// Returns the secret in the dialog, and closes it.
async fn save_secret(console: &Console<'_>) -> Result<SigningSecret> {
    let secret = super::save_shown_secret(console, "Save your secret now", "Signing secret").await?;
    secret.parse().ok().with_context(|| format!("not a secret: {secret}"))
}

/// Whether the event is signed with this secret, among others.
fn is_signed(event: &ReceivedEvent, secret: &SigningSecret) -> Result<bool> {
    let timestamp_unix = event.header(WEBHOOK_TIMESTAMP).parse()?;
    let message = WebhookMessage { id: event.header(WEBHOOK_ID), timestamp_unix, body: &event.body };
    let [.., (_, signature)] = message.headers(std::slice::from_ref(secret));
    Ok(event.header(WEBHOOK_SIGNATURE).split(' ').any(|one| one == signature))
}

async fn test(console: &Console<'_>) -> Result<()> {
    console.press("Send test event").await?;
    console.until_text("Your endpoint accepted the test event").await?;
    console.until_text(REPLY).await
}

/// Adds the webhook, and returns its secret and the address of its page.
async fn add(console: &Console<'_>, receiver: &WebhookReceiver) -> Result<(SigningSecret, String)> {
    console.until_text("No webhooks yet").await?;
    console.press("Add webhook").await?;
    console.fill("Endpoint URL", "http://hooks.example.com/").await?;
    console.press("Add webhook").await?;
    console.until_text("must be an https:// URL").await?;
    console.fill("Endpoint URL", &receiver.url).await?;
    console.press("Add webhook").await?;
    let secret = save_secret(console).await?;
    let page = console.run("return location.pathname").await?.as_str().context("no address")?.to_owned();
    Ok((secret, page))
}

#[browser]
async fn a_webhook_is_added_tested_fed_paused_rotated_and_deleted(stack: Arc<BrowserStack>) -> Result<()> {
    let receiver = WebhookReceiver::start(|_| WebhookReply::Text(200, REPLY.to_owned())).await?;
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/webhooks").await?;
    let (first, page) = add(&console, &receiver).await?;
    test(&console).await?;
    let events = receiver.until_received(1).await?;
    ensure!(events[0].kind()? == "webhook.test", "{events:?}");

    console.go("/console/upload").await?;
    console.until_text("Drop a video here").await?;
    browser.choose_file("input[type=file]", stack.clip()).await?;
    console.fill("Caption", "Told to a webhook").await?;
    console.press("Upload video").await?;
    console.until(PUBLISHED_WITHIN, "Published", "return shown().innerText.includes('Published')").await?;
    // The page uploads with a one-time token. The video is published first, and then completed.
    let events = receiver.until_received(4).await?;
    ensure!(events.iter().all(|event| is_signed(event, &first).is_ok_and(|signed| signed)), "{events:?}");
    let is_published = |event: &&ReceivedEvent| event.event["type"] == "content.published";
    let published = events.iter().find(is_published).context("no event of the video")?;

    console.go(&page).await?;
    console.until_text("content.published").await?;
    console.until_text("Delivered").await?;
    let uuid = published.event["data"]["content_uuid"].as_str().context("no video")?;
    let link = format!("return !!document.querySelector('.rows a[href=\"/console/uploads/{uuid}\"]')");
    console.until(WITHIN, "the video of the event", &link).await?;
    console.press("content.published").await?;
    console.until_text(REPLY).await?;
    console.press("Send again").await?;
    let events = receiver.until_received(5).await?;
    ensure!(events[4].header(WEBHOOK_ID) == published.header(WEBHOOK_ID), "{events:?}");

    console.press("Send events again").await?;
    console.choose("Since", "The last hour").await?;
    console.until_text("At most 3 events: those that were not delivered.").await?;
    console.press("Include events that were delivered").await?;
    console.until_text("At most 3 events.").await?;
    console.press("Send again").await?;
    receiver.until_received(8).await?;

    rotate_and_pause(&console, &receiver, &first).await?;

    console.press("More").await?;
    console.press("Delete webhook").await?;
    console.fill("Type ", "wrong").await?;
    console.press("Delete webhook").await?;
    console.until_text("This is not the webhook's host").await?;
    let host = receiver.url.trim_start_matches("http://").trim_end_matches("/hook");
    console.fill("Type ", host).await?;
    console.press("Delete webhook").await?;
    console.until_text("No webhooks yet").await?;
    console.press("All events").await?;
    console.until_text("content.published").await?;
    console.ensure_clean_but_for(Some(422)).await
}

/// After a rotation, events are signed with both secrets. A webhook that is paused can still be tested.
async fn rotate_and_pause(console: &Console<'_>, receiver: &WebhookReceiver, first: &SigningSecret) -> Result<()> {
    console.press("More").await?;
    console.press("Rotate secret").await?;
    console.until_text("signed with both the old and the new secret").await?;
    console.press("Rotate secret").await?;
    let second = save_secret(console).await?;
    console.until_text("both valid until").await?;

    console.press("Pause").await?;
    console.until_text("You paused this webhook").await?;
    let before = receiver.received().len();
    test(console).await?;
    let events = receiver.until_received(before + 1).await?;
    let last = events.last().context("no event")?;
    ensure!(is_signed(last, first)? && is_signed(last, &second)?, "{last:?}");
    console.press("Resume").await?;
    console.until_text("Active").await
}

/// The page shows the response and says what to do about it.
#[browser]
async fn a_test_that_fails_says_what_to_do(stack: Arc<BrowserStack>) -> Result<()> {
    let receiver = WebhookReceiver::start(|_| WebhookReply::Text(404, "Cannot POST /hook".to_owned())).await?;
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/webhooks").await?;
    add(&console, &receiver).await?;
    console.press("Send test event").await?;
    for text in
        ["The test event was not accepted", "404 in", "Compare its path with your server's route", "Cannot POST"]
    {
        console.until_text(text).await?;
    }
    console.ensure_clean_but_for(Some(422)).await
}
