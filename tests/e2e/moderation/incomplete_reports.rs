//! Tests that the edge does not trust an origin blindly: an incomplete report publishes nothing until a person decides.

use super::decisions::queue_entry;
use anyhow::{Context, Result, ensure};
use contract::job::{JobOutcome, StoredMedia};
use contract::moderation::{Check, Examination, Recommendation};
use contract::{MediaFile, ObjectKey};
use std::sync::Arc;
use tests::{StackLimits, TestContent, TestStack, all_media_files, bytes_of, e2e};

/// Fails unless the content waits for a person, and a finding names what is missing from the report.
async fn ensure_waits(content: &TestContent, lack: &str) -> Result<()> {
    let entry = queue_entry(content).await?.context("the content is not in the queue")?;
    ensure!(entry["waits_for"] == "person", "{entry}");
    let finding = entry["findings"].as_array().and_then(|findings| findings.last()).context("no finding")?;
    ensure!(
        finding["check"] == "report" && finding["note"].as_str().is_some_and(|note| note.contains(lack)),
        "{entry}"
    );
    content.ensure_public(false).await
}

/// Reports a harmless video, with a part of the evidence missing.
async fn report_without(
    stack: &Arc<TestStack>,
    omit: impl Fn(&mut StoredMedia, &mut Examination),
) -> Result<TestContent> {
    let content = TestContent::upload(stack, |form| form).await?;
    content.job.claim_granted().await?;
    let mut outcome = content.outcome(&[Recommendation::Pass]);
    if let JobOutcome::Processed { media, examination, .. } = &mut outcome {
        omit(media, examination);
    }
    content.job.report(outcome).await?;
    Ok(content)
}

#[e2e]
async fn a_report_without_a_check_waits_for_a_person(stack: Arc<TestStack>) -> Result<()> {
    for missing in Check::OF_EVERY_JOB {
        let omit = |_: &mut StoredMedia, done: &mut Examination| done.checks.retain(|check| *check != missing);
        ensure_waits(&report_without(&stack, omit).await?, missing.as_str()).await?;
    }
    Ok(())
}

#[e2e]
async fn a_report_without_enough_frames_waits_for_a_person(stack: Arc<TestStack>) -> Result<()> {
    let content = report_without(&stack, |_, done| done.plain_frames_at_ms.truncate(2)).await?;
    ensure_waits(&content, "was examined").await?;
    let content = report_without(&stack, |media, _| media.duration_ms = 500_000).await?;
    ensure_waits(&content, "duration").await
}

#[e2e]
async fn a_report_that_names_a_missing_or_different_object_waits_for_a_person(stack: Arc<TestStack>) -> Result<()> {
    for is_missing in [true, false] {
        let content = TestContent::upload(&stack, |form| form).await?;
        content.job.claim_granted().await?;
        let (content_uuid, generation) = (content.job.content_uuid.as_str(), content.job.generation);
        for file in all_media_files() {
            let key = ObjectKey::Media { content_uuid, generation, file }.path();
            match (file, is_missing) {
                (MediaFile::Poster, true) => {}
                (MediaFile::Poster, false) => stack.put_object(&key, b"another picture".to_vec()).await?,
                (file, _) => stack.put_object(&key, bytes_of(file)).await?,
            }
        }
        content.job.report_only(content.outcome(&[Recommendation::Pass])).await?;
        ensure_waits(&content, "poster.jpg").await?;
    }
    Ok(())
}

#[e2e]
async fn a_report_without_a_comparable_frame_waits_for_a_person(stack: Arc<TestStack>) -> Result<()> {
    let mut content = TestContent::upload(&stack, |form| form).await?;
    content.frames.clear();
    content.finish(&[Recommendation::Pass]).await?;
    ensure_waits(&content, "no frame can be compared").await
}

#[e2e(Limited(StackLimits::FEW_PER_KEY))]
async fn a_report_without_the_demanded_classifier_waits_for_a_person(stack: Arc<TestStack>) -> Result<()> {
    let content = report_without(&stack, |_, _| {}).await?;
    ensure_waits(&content, Check::Classifier.as_str()).await?;
    let content = report_without(&stack, |_, done| done.checks.push(Check::Classifier)).await?;
    content.ensure_public(true).await
}

#[e2e]
async fn a_moderator_can_publish_a_video_whose_report_was_incomplete(stack: Arc<TestStack>) -> Result<()> {
    let content = report_without(&stack, |_, done| done.checks.clear()).await?;
    ensure!(content.decide(contract::paths::MODERATION_APPROVE).await?.status == 200);
    content.ensure_public(true).await
}
