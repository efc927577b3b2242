//! Tests that removed content stays removed, until the decision is reversed.

use anyhow::{Result, ensure};
use contract::moderation::Recommendation;
use contract::paths;
use fixtures::Form;
use std::sync::Arc;
use tests::{Channel, HttpAnswer, TestContent, TestStack, e2e, ensure_refused};

/// Uploads a video as another channel.
async fn upload_again(stack: &Arc<TestStack>, video: &[u8]) -> Result<HttpAnswer> {
    Channel::new(stack).await?.upload(Form::new().file("file", "copy.mp4", video)).await
}

/// Creates a published content of this video, and takes it down.
async fn taken_down(stack: &Arc<TestStack>, video: &[u8]) -> Result<TestContent> {
    let content = TestContent::upload_file(stack, video).await?;
    content.finish(&[Recommendation::Pass]).await?;
    ensure!(content.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    Ok(content)
}

#[e2e]
async fn a_video_that_was_taken_down_cannot_be_uploaded_again(stack: Arc<TestStack>) -> Result<()> {
    let video = stack.small_video();
    taken_down(&stack, &video).await?;
    let channel = Channel::with_limit(&stack, Some(1)).await?;
    for _ in 0..2 {
        let refused = channel.upload(Form::new().file("file", "copy.mp4", &video)).await?;
        ensure_refused(&refused, 422, "content_moderation_rejected")?;
    }
    // The refused uploads used no slot and left nothing behind.
    channel.upload_accepted(Form::new().file("file", "other.mp4", &stack.small_video())).await?;
    Ok(())
}

#[e2e]
async fn a_rejected_file_cannot_be_uploaded_again(stack: Arc<TestStack>) -> Result<()> {
    let video = stack.small_video();
    let content = TestContent::upload_file(&stack, &video).await?;
    content.finish(&[Recommendation::Review]).await?;
    ensure!(content.decide(paths::MODERATION_REJECT).await?.status == 200);
    ensure_refused(&upload_again(&stack, &video).await?, 422, "content_moderation_rejected")
}

#[e2e]
async fn a_disguised_copy_of_a_video_that_was_taken_down_is_rejected(stack: Arc<TestStack>) -> Result<()> {
    let removed = taken_down(&stack, &stack.small_video()).await?;
    let mut copy = TestContent::upload(&stack, |form| form).await?;
    copy.frames.clone_from(&removed.frames);
    copy.finish(&[Recommendation::Pass]).await?;
    ensure!(copy.state().await? == "rejected");
    Ok(())
}

#[e2e]
async fn a_restored_video_is_public_and_can_be_uploaded_again(stack: Arc<TestStack>) -> Result<()> {
    let video = stack.small_video();
    let content = taken_down(&stack, &video).await?;
    content.ensure_public(false).await?;
    ensure!(content.decide(paths::MODERATION_RESTORE).await?.status == 200);
    content.ensure_public(true).await?;
    let again = upload_again(&stack, &video).await?;
    ensure!(again.status == 200, "{again:?}");
    let path = format!("{}?content_uuid={}", paths::MODERATION_DECISIONS, content.job.content_uuid);
    let trail = super::decisions::all_entries(&stack, &path, "decisions").await?;
    let actions: Vec<_> = trail.iter().filter_map(|entry| entry["action"].as_str()).collect();
    ensure!(actions == ["restore", "take_down"], "{actions:?}");
    Ok(())
}
