//! Labels and visibility: what viewers and other sites see of them, and who may change them.

use anyhow::{Result, ensure};
use contract::moderation::Recommendation;
use contract::{MediaFile, paths};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{Channel, TestContent, TestStack, e2e, ensure_refused, moderator_request, send};

/// The marks of a published video.
#[derive(Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
struct Seen {
    asks_first: bool,
    says_ai: bool,
    is_left_out: bool,
    is_in_sitemap: bool,
}

async fn seen(content: &TestContent, query: &str) -> Result<Seen> {
    let stack = content.stack();
    let page = String::from_utf8(stack.get(&content.page()).await?.bytes)?;
    let player = String::from_utf8(stack.get(&content.embed()).await?.bytes)?;
    let oembed = stack.get(&content.oembed()).await?.json()?;
    let file = send(content.get(MediaFile::Poster)).await?;
    // A response that another test has cached may be older than this video. Another query avoids it.
    let part = format!("{}{}.xml?{query}", paths::SITEMAP_PARTS, content.job.content_id.div_ceil(1_000));
    let sitemap = String::from_utf8(stack.get(&part).await?.bytes)?;
    let asks_first = page.contains("Show video");
    let says_ai = page.contains("AI-generated");
    let is_left_out = page.contains("<meta name=\"robots\" content=\"noindex\">");
    ensure!(player.contains("Show video") == asks_first && page.contains("og:image") != asks_first, "{page}");
    ensure!(oembed["is_sensitive"] == asks_first && oembed["thumbnail_url"].is_null() == asks_first, "{oembed}");
    ensure!(player.contains("AI-generated") == says_ai && oembed["is_ai_generated"] == says_ai, "{oembed}");
    ensure!((file.header("x-robots-tag") == "noindex") == is_left_out && file.status == 200, "{file:?}");
    Ok(Seen { asks_first, says_ai, is_left_out, is_in_sitemap: sitemap.contains(&content.page()) })
}

#[e2e]
async fn labels_and_visibility_are_shown_and_change_in_both_directions(stack: Arc<TestStack>) -> Result<()> {
    let all = [("visibility", "unlisted"), ("is_sensitive", "true"), ("is_ai_generated", "true")];
    let content =
        TestContent::upload(&stack, |form| all.iter().fold(form, |form, (name, value)| form.text(name, value)));
    let content = content.await?;
    content.finish(&[Recommendation::Pass]).await?;
    let marked = Seen { asks_first: true, says_ai: true, is_left_out: true, is_in_sitemap: false };
    let found = seen(&content, "marked").await?;
    ensure!(found == marked, "{found:?}");
    let change = json!({ "visibility": null, "is_sensitive": false, "is_ai_generated": null });
    let changed = content.owner_request(paths::UPDATE_CONTENT, change).await?;
    ensure!(changed.status == 200, "{changed:?}");
    let plain = Seen { asks_first: false, says_ai: false, is_left_out: false, is_in_sitemap: true };
    let found = seen(&content, "plain").await?;
    ensure!(found == plain, "{found:?}");
    let again = json!({ "visibility": "unlisted", "is_sensitive": true, "is_ai_generated": true });
    let status = content.owner_request(paths::UPDATE_CONTENT, again.clone()).await?.json()?;
    for (name, value) in again.as_object().into_iter().flatten() {
        ensure!(status[name] == *value, "{status}");
    }
    let found = seen(&content, "again").await?;
    ensure!(found == marked, "{found:?}");
    Ok(())
}

#[e2e]
async fn the_label_of_a_moderator_stays_until_a_moderator_removes_it(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "labelled").await?;
    let label = async |more: Value| {
        let mut body = json!({ "content_uuid": content.job.content_uuid, "reason": "blood" });
        if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        send(moderator_request(&stack, Method::POST, paths::MODERATION_LABEL).json(&body)).await
    };
    let labelled = label(json!({ "is_sensitive": true })).await?;
    ensure!(labelled.status == 200 && labelled.json()?["moderator_labels"] == json!(["is_sensitive"]), "{labelled:?}");
    ensure!(seen(&content, "labelled").await?.asks_first);
    let status = content.job.status().await?;
    ensure!(status["is_sensitive"] == true && status["moderator_labels"] == json!(["is_sensitive"]), "{status}");
    let refused = content.owner_request(paths::UPDATE_CONTENT, json!({ "is_sensitive": false })).await?;
    ensure_refused(&refused, 409, "content_label_locked")?;
    ensure!(refused.json()?["field"] == "is_sensitive", "{refused:?}");
    let path = format!("{}?content_uuid={}", paths::MODERATION_CASE, content.job.content_uuid);
    let case = send(moderator_request(&stack, Method::GET, &path)).await?.json()?;
    let decision = &case["decisions"][0];
    ensure!(decision["action"] == "label" && decision["reason"] == "is_sensitive: true. blood", "{case}");
    ensure!(case["content"]["moderator_labels"] == json!(["is_sensitive"]), "{case}");
    let removed = label(json!({ "is_sensitive": false })).await?;
    ensure!(removed.json()?["is_sensitive"] == false, "{removed:?}");
    ensure!(!seen(&content, "removed").await?.asks_first);
    for (body, status, code) in [
        (json!({ "is_sensitive": null }), 400, "request_malformed"),
        (json!({ "is_sensitive": "true" }), 400, "request_malformed"),
        (json!({ "reason": " " }), 400, "request_malformed"),
        (json!({ "content_uuid": "0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60" }), 404, "content_not_found"),
    ] {
        ensure_refused(&label(body).await?, status, code)?;
    }
    let key = send(stack.request(Method::POST, paths::MODERATION_LABEL).bearer_auth(&content.job.channel.key)).await?;
    ensure_refused(&key, 401, "admin_token_invalid")
}

#[e2e]
async fn wrong_labels_are_refused_and_leave_nothing(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    for (name, value, code) in [
        ("visibility", "private", "content_visibility_invalid"),
        ("is_sensitive", "yes", "content_label_invalid"),
        ("is_ai_generated", "1", "content_label_invalid"),
    ] {
        let form = fixtures::Form::new().text(name, value).file("file", "a.mp4", &stack.small_video());
        let answer = channel.upload(form).await?;
        ensure_refused(&answer, 422, code)?;
        ensure!(answer.json()?["field"] == name, "{answer:?}");
    }
    channel.ensure_rows(&tests::ChannelRows::default())
}
