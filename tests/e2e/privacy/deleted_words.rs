//! A deleted video leaves none of its owner's words in any store.

use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::paths;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tests::{TestContent, TestStack, WebhookReceiver, WebhookReply, e2e, until};

/// Uploads a video with the word in all of its owner's texts, and a webhook that echoes its requests.
async fn with_word(stack: &Arc<TestStack>, word: &str) -> Result<(TestContent, WebhookReceiver)> {
    let texts = |form: fixtures::Form| {
        let form =
            form.text("caption", &format!("{word} at night")).text("ai_summary_of_content", &format!("A {word}."));
        form.text("metadata", &json!({ "title": word }).to_string())
    };
    let content = TestContent::upload(stack, texts).await?;
    let receiver = WebhookReceiver::start(|request| WebhookReply::Text(200, request.body.clone())).await?;
    let created = content.job.channel.account.post_json(paths::CREATE_WEBHOOK, &json!({ "url": receiver.url })).await?;
    ensure!(created.status == 200, "{created:?}");
    Ok((content, receiver))
}

/// Waits until the answer of the webhook is on record.
async fn until_answered(stack: &TestStack, content: &TestContent, word: &str) -> Result<()> {
    let recorded = "webhook_deliveries.body_start".to_owned();
    let look = async || Ok(stack.places_with(word)?.contains(&recorded).then_some(()));
    until(Duration::from_mins(1), look, || format!("no answer about {}", content.job.content_uuid)).await
}

#[e2e]
async fn a_deleted_video_leaves_no_words_of_its_owner(stack: Arc<TestStack>) -> Result<()> {
    let word = format!("quokka{}", stack.unique());
    let (content, receiver) = with_word(&stack, &word).await?;
    content.finish(&[Recommendation::Pass]).await?;
    content.store().await?;
    content.ensure_public(true).await?;
    receiver.until_received(1).await?;
    until_answered(&stack, &content, &word).await?;
    ensure!(stack.places_with(&word)?.contains(&"contents.slug_url".to_owned()), "there is nothing to delete");
    let deleted = content.owner_request(paths::DELETE_CONTENT, json!({})).await?;
    ensure!(deleted.status == 200, "{deleted:?}");
    receiver.until_received(2).await?;
    let look = async || Ok(stack.places_with(&word)?.is_empty().then_some(()));
    until(Duration::from_secs(20), look, || format!("{word} is in {:?}", stack.places_with(&word))).await?;
    content.ensure_public(false).await?;
    let last = receiver.received().pop().context("nothing was received")?;
    ensure!(last.event["type"] == "content.deleted" && !last.body.contains(&word), "{last:?}");
    // A moderator with the old address still finds the content.
    let found = format!("{}?slug={}", paths::MODERATION_CONTENTS, content.slug_url);
    let found = tests::send(tests::moderator_request(&stack, reqwest::Method::GET, &found)).await?;
    let text = String::from_utf8_lossy(&found.bytes).into_owned();
    ensure!(found.status == 200 && text.contains(&content.job.content_uuid) && !text.contains(&word), "{text}");
    Ok(())
}

#[e2e]
async fn the_evidence_of_a_removed_video_alone_keeps_its_words(stack: Arc<TestStack>) -> Result<()> {
    let word = format!("numbat{}", stack.unique());
    let (content, _receiver) = with_word(&stack, &word).await?;
    content.finish(&[Recommendation::Reject]).await?;
    let deleted = content.owner_request(paths::DELETE_CONTENT, json!({})).await?;
    ensure!(deleted.status == 200, "{deleted:?}");
    let kept = ["evidence.caption".to_owned(), "evidence.summary".to_owned()];
    let look = async || Ok((stack.places_with(&word)? == kept).then_some(()));
    until(Duration::from_secs(20), look, || format!("{word} is in {:?}", stack.places_with(&word))).await?;
    let end = format!("UPDATE evidence SET kept_until_unix = 1 WHERE content_id = {}", content.job.content_id);
    stack.change_rows_and_sweep(end).await?;
    ensure!(stack.places_with(&word)?.is_empty(), "{word} is in {:?}", stack.places_with(&word));
    Ok(())
}
