//! A suspended channel: until it is reinstated, its key and its uploads are refused, and its contents are hidden.

use super::decisions::all_entries;
use anyhow::{Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tests::{
    Channel, ChannelRows, HttpAnswer, RawUpload, TestContent, TestJob, TestStack, e2e, ensure_refused,
    moderator_request, send,
};

async fn moderate(stack: &TestStack, path: &str, channel_id: u64) -> Result<HttpAnswer> {
    let body = json!({ "channel_id": channel_id, "reason": "spam" });
    send(moderator_request(stack, Method::POST, path).json(&body)).await
}

#[e2e]
async fn a_suspended_channel_does_nothing_and_shows_nothing_until_that_is_lifted(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "a clip").await?;
    let other = TestContent::published(&stack, "another clip").await?;
    let channel = &content.job.channel;
    let id = channel.account.channel_id;
    content.ensure_public(true).await?;
    for _ in 0..2 {
        let answer = moderate(&stack, paths::MODERATION_SUSPEND, id).await?;
        ensure!(answer.status == 200 && answer.json()?["is_suspended"] == true, "{answer:?}");
    }
    content.ensure_public(false).await?;
    other.ensure_public(true).await?;
    let form = || Form::new().file("file", "a.mp4", &stack.small_video());
    ensure_refused(&channel.upload(form()).await?, 403, "channel_suspended")?;
    for path in [paths::UPLOAD_LIMITS, paths::UPLOADS, paths::EVENTS, paths::CATEGORIES] {
        ensure_refused(&stack.get_with_key(path, &channel.key).await?, 403, "channel_suspended")?;
    }
    ensure_refused(&content.job.status_with_key(&channel.key).await?, 403, "channel_suspended")?;
    ensure_refused(&content.owner_request(paths::DELETE_CONTENT, json!({})).await?, 403, "channel_suspended")?;
    let sitemap = stack.get("/sitemaps/1.xml").await?;
    let lists = |one: &TestContent| String::from_utf8_lossy(&sitemap.bytes).contains(&one.slug_url);
    ensure!(!lists(&content) && lists(&other), "{sitemap:?}");
    let answer = moderate(&stack, paths::MODERATION_LIFT_SUSPENSION, id).await?;
    ensure!(answer.status == 200 && answer.json()?["is_suspended"] == false, "{answer:?}");
    content.ensure_public(true).await?;
    channel.upload_accepted(form()).await?;
    let trail = all_entries(&stack, paths::TRAIL, "entries").await?;
    let about = trail.iter().filter(|entry| entry["subject"] == format!("channel:{id}"));
    let actions: Vec<_> = about.map(|entry| entry["action"].as_str().unwrap_or_default()).collect();
    ensure!(actions == ["suspension_lifted", "channel_suspended", "key_created"], "{actions:?}");
    ensure_refused(&moderate(&stack, paths::MODERATION_SUSPEND, 999_999_999).await?, 404, "channel_not_found")
}

#[e2e]
async fn an_upload_whose_channel_is_suspended_meanwhile_is_told_so(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let body = Form::new().file("file", "a.mp4", &stack.small_video()).body();
    let (start, rest) = body.split_at(body.len() / 2);
    let mut upload = RawUpload::start(&channel, Some(body.len())).await?;
    upload.send(start).await?;
    let begun = async || Ok((channel.rows()?.reserved == 1).then_some(()));
    tests::until(Duration::from_secs(30), begun, || "the upload does not begin".to_owned()).await?;
    ensure!(moderate(&stack, paths::MODERATION_SUSPEND, channel.account.channel_id).await?.status == 200);
    let answer = upload.finish(rest).await?;
    ensure!(answer.starts_with("HTTP/1.1 403") && answer.contains("channel_suspended"), "{answer}");
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn a_video_of_a_suspended_channel_that_is_approved_stays_hidden(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    let id = content.job.channel.account.channel_id;
    moderate(&stack, paths::MODERATION_SUSPEND, id).await?;
    let answer = content.finish(&[]).await?;
    ensure!(answer.accepted, "{answer:?}");
    content.ensure_public(false).await?;
    moderate(&stack, paths::MODERATION_LIFT_SUSPENSION, id).await?;
    content.ensure_public(true).await
}

#[e2e]
async fn all_contents_of_a_channel_are_taken_down_page_by_page(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let id = channel.account.channel_id;
    for _ in 0..23 {
        channel.upload_accepted(Form::new().file("file", "a.mp4", &stack.small_video())).await?;
    }
    let publish = "UPDATE contents SET state = 'published', media = '{}', media_generation = 1, published_at_unix = 1";
    stack.change_rows(format!("{publish} WHERE channel_id = {id}")).await?;
    let mut steps = Vec::new();
    for _ in 0..3 {
        let answer = moderate(&stack, paths::MODERATION_TAKE_DOWN_CHANNEL, id).await?;
        let body: Value = answer.json()?;
        steps.push((body["taken_down"].as_u64(), body["has_more"].as_bool()));
    }
    ensure!(steps == [(Some(20), Some(true)), (Some(3), Some(false)), (Some(0), Some(false))], "{steps:?}");
    let left = "SELECT count(*) FROM contents WHERE channel_id = ?1 AND state <> 'taken_down'";
    ensure!(stack.count(left, id)? == 0);
    let recorded = "SELECT count(*) FROM decisions JOIN contents ON contents.id = content_id WHERE channel_id = ?1";
    ensure!(stack.count(recorded, id)? == 23);
    // The exact file is refused from now on.
    let file = stack.small_video();
    let job = TestJob::upload_file(Channel::new(&stack).await?, &file, |form| form).await?;
    let channel_id = job.channel.account.channel_id;
    stack.change_rows(format!("{publish} WHERE channel_id = {channel_id}")).await?;
    moderate(&stack, paths::MODERATION_TAKE_DOWN_CHANNEL, channel_id).await?;
    let copy = Channel::new(&stack).await?.upload(Form::new().file("file", "a.mp4", &file)).await?;
    ensure_refused(&copy, 422, "content_moderation_rejected")
}
