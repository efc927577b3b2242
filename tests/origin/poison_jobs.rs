//! A job that kills its worker at every attempt becomes a dead letter, and no other job does.

use anyhow::{Context, Result, ensure};
use contract::job::MAX_DELIVERY_ATTEMPTS;
use contract::{JOB_VERSION, JobMessage};
use dev::OriginProcess;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tests::{AcceptedUpload, Clip, OriginFleet, TestQueue, TestStack, e2e, now_unix, run_to_end, until};

const TIMEOUT: Duration = Duration::from_mins(1);
/// The time that the job of a killed origin waits for the next delivery attempt.
const REDELIVERY_DELAY: Duration = Duration::from_secs(10);

#[e2e(Own)]
async fn a_job_that_kills_its_worker_becomes_a_dead_letter_and_can_be_retried(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = Clip { size: (640, 360), milliseconds: 6_000, ..Clip::mp4("a.mp4") };
    let clip = clip.make(&fleet.folder)?;
    let upload = fleet.upload(&clip).await?;
    let mut neighbours = Vec::new();
    let short = Clip { size: (160, 90), milliseconds: 2_000, ..Clip::mp4("short.mp4") }.make(&fleet.folder)?;
    for _ in 0..2 {
        neighbours.push(fleet.upload(&short).await?);
    }
    let index = fleet.start("killed", &[]).await?;
    kill_at_each_attempt(&mut fleet, index, &upload).await?;
    for neighbour in &neighbours {
        fleet.until_published(neighbour, TIMEOUT).await?;
        ensure!(fleet.row(neighbour)?["attempt"].as_u64() < Some(3));
    }
    until_dead(&fleet, 1).await?;
    let messages = listed(&fleet, &["--pull"])?;
    ensure!(messages.len() == 1 && messages[0]["content_uuid"] == *upload.content_uuid, "{messages:?}");
    ensure!(dead_letters(&fleet)?.is_empty(), "the last attempt may still report");
    // The status shows it once the claim of the last attempt has expired while the edge was available.
    fleet.stack.sweep().await?;
    fleet.expire_claim(&upload).await?;
    fleet.stack.sweep().await?;
    ensure_listed_at_no_cost(&fleet, &upload).await?;
    let status = fleet.status(&upload).await?;
    ensure!(status["state"] == "failed", "{status:#}");
    ensure!(status["error_message_code"] == "content_processing_failed", "{status:#}");

    command(&fleet, &["dlq", "retry", &upload.content_uuid])?;
    fleet.until_published(&upload, TIMEOUT).await?;
    ensure!(dead_letters(&fleet)?.is_empty());
    drop_dead_letter(&fleet, &upload).await
}

/// Checks that the list names the last error, and that listing leaves the messages alone.
async fn ensure_listed_at_no_cost(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<()> {
    for _ in 0..3 {
        let letters = dead_letters(fleet)?;
        ensure!(letters.len() == 1, "{letters:?}");
        let letter = &letters[0];
        ensure!(letter["content_uuid"] == *upload.content_uuid && letter["work"] == "video", "{letter}");
        ensure!(letter["error_message_code"] == "content_processing_failed", "{letter}");
        ensure!(letter["detail"].as_str().is_some_and(|detail| detail.contains("Every attempt")), "{letter}");
        ensure!(letter["origin"] == "killed" && letter["delivery_attempts"] == MAX_DELIVERY_ATTEMPTS, "{letter}");
    }
    let message = TestQueue::of_jobs(&fleet.stack)?.dead.pull(1, Duration::ZERO).await?.messages;
    // `dlq list --pull` was the first delivery attempt, so this pull is the second.
    ensure!(message.len() == 1 && message[0].delivery_attempt == 2, "{message:?}");
    Ok(())
}

/// Sends a dead letter, shows it and drops it.
async fn drop_dead_letter(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<()> {
    let letter = JobMessage {
        version: JOB_VERSION,
        content_id: upload.content_id,
        content_uuid: upload.content_uuid.clone(),
        generation: 1,
        traceparent: None,
    };
    let dead = TestQueue::of_jobs(&fleet.stack)?.dead;
    dead.send(&serde_json::to_string(&letter)?, Duration::ZERO).await?;
    let printed = command(fleet, &["dlq", "show", &upload.content_uuid])?;
    let printed: Value = serde_json::from_slice(&printed)?;
    ensure!(printed["content_uuid"] == *upload.content_uuid, "{printed}");
    command(fleet, &["dlq", "drop", &upload.content_uuid])?;
    ensure!(dead_letters(fleet)?.is_empty());
    ensure!(command(fleet, &["dlq", "drop", &upload.content_uuid]).is_err());
    Ok(())
}

/// Kills the origin whenever it has begun this job, until the queue no longer delivers the job.
async fn kill_at_each_attempt(fleet: &mut OriginFleet, index: usize, upload: &AcceptedUpload) -> Result<()> {
    for attempt in 1..=MAX_DELIVERY_ATTEMPTS {
        let has_begun = |row: &serde_json::Map<String, Value>| row["attempt"] == attempt;
        let row = fleet.until_row(upload, TIMEOUT, has_begun).await?;
        ensure!(row["state"] == "processing", "the job ended before its origin was killed: {row:#?}");
        fleet.crash(index)?;
        fleet.origins[index].wait_until_ready().await?;
        until_past(row["last_signed_at_unix"].as_u64()).await;
        TestQueue::of_jobs(&fleet.stack)?.advance(REDELIVERY_DELAY).await?;
    }
    Ok(())
}

/// Waits until the second of the last signed request is over. Origins sign with whole seconds, and a claim in the same
/// second counts as a replay.
async fn until_past(last_signed_at_unix: Option<u64>) {
    // A heartbeat sent while the origin was being killed is at most a second later.
    while now_unix() <= last_signed_at_unix.unwrap_or_default() + 1 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until the queue is empty and has this many dead letters.
async fn until_dead(fleet: &OriginFleet, count: u64) -> Result<()> {
    let queue = TestQueue::of_jobs(&fleet.stack)?;
    let look = async || Ok((queue.depth_and_dead().await? == (0, count)).then_some(()));
    until(TIMEOUT, look, || "the dead letter is missing".to_owned()).await
}

fn dead_letters(fleet: &OriginFleet) -> Result<Vec<Value>> {
    listed(fleet, &[])
}

/// Returns what `dlq list` prints with these options.
fn listed(fleet: &OriginFleet, options: &[&str]) -> Result<Vec<Value>> {
    let printed = command(fleet, &[&["dlq", "list", "--json"], options].concat())?;
    let letters: Value = serde_json::from_slice(&printed)?;
    Ok(letters.as_array().context("not a list")?.clone())
}

/// Runs a command of the origin and returns its output. Fails unless it succeeds.
fn command(fleet: &OriginFleet, arguments: &[&str]) -> Result<Vec<u8>> {
    let mut command = OriginProcess::command(fleet.stack.env())?;
    command.args(arguments);
    run_to_end(command)
}
