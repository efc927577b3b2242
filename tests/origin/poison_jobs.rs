//! Failed jobs: a video survives the faults of machines, and a job that breaks every machine becomes a dead letter.

use anyhow::{Context, Result, ensure};
use contract::job::JobWork;
use contract::{JOB_VERSION, JobMessage};
use dev::OriginProcess;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tests::{AcceptedUpload, Clip, OriginFleet, TestQueue, TestStack, e2e, run_to_end, until};

const TIMEOUT: Duration = Duration::from_mins(1);
/// The silences of origins after which a job is given up.
const MAX_SILENCES: u64 = 20;

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
    fleet.until_begun(&upload).await?;
    // It was the end of nineteen origins already.
    let silences = format!("UPDATE jobs SET silences = {} WHERE content_id = {}", MAX_SILENCES - 1, upload.content_id);
    stack.change_rows(silences).await?;
    fleet.crash(index)?;
    fleet.origins[index].wait_until_ready().await?;
    for neighbour in &neighbours {
        fleet.until_published(neighbour, TIMEOUT).await?;
        ensure!(fleet.row(neighbour)?["silences"].as_u64() < Some(3));
    }
    // The status shows it once the last claim has expired while the edge was available.
    fleet.stack.sweep().await?;
    fleet.expire_claim(&upload).await?;
    fleet.stack.sweep().await?;
    ensure_listed(&fleet, &upload)?;
    ensure!(listed(&fleet, &["--pull"])?.is_empty(), "its messages are no dead letters");
    let status = fleet.status(&upload).await?;
    ensure!(status["state"] == "failed", "{status:#}");
    ensure!(status["error_message_code"] == "content_processing_failed", "{status:#}");
    ensure!(status["detail"].as_str().is_some_and(|detail| detail.contains("not in your file")), "{status:#}");

    command(&fleet, &["dlq", "retry", &upload.content_uuid])?;
    fleet.until_published(&upload, TIMEOUT).await?;
    ensure!(dead_letters(&fleet)?.is_empty());
    drop_dead_letter(&fleet, &upload).await
}

#[e2e(Own)]
async fn a_video_is_published_although_ffmpeg_was_killed_three_times_and_two_origins_between(
    stack: Arc<TestStack>,
) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = Clip { size: (640, 360), milliseconds: 6_000, ..Clip::mp4("a.mp4") };
    let upload = fleet.upload(&clip.make(&fleet.folder)?).await?;
    let index = fleet.start("unlucky", &[]).await?;
    for failures in 1..=3 {
        kill_ffmpeg_of(&fleet, index).await?;
        fleet.until_row(&upload, TIMEOUT, |row| row["undecided_failures"] == failures).await?;
        let status = fleet.status(&upload).await?;
        ensure!(status["state"] == "processing" && status["error_message_code"].is_null(), "{status:#}");
        end_pause(&fleet, &upload).await?;
        if failures < 3 {
            fleet.until_row(&upload, TIMEOUT, |row| row["job_state"] == "claimed").await?;
            fleet.crash(index)?;
            fleet.origins[index].wait_until_ready().await?;
            fleet.until_row(&upload, TIMEOUT, |row| row["silences"] == failures).await?;
        }
    }
    fleet.until_published(&upload, TIMEOUT).await?;
    ensure!(dead_letters(&fleet)?.is_empty());
    Ok(())
}

#[e2e(Own)]
async fn a_file_that_breaks_ffmpeg_every_time_is_a_dead_letter_and_two_such_files_never_run_at_once(
    stack: Arc<TestStack>,
) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = Clip { size: (640, 360), milliseconds: 6_000, ..Clip::mp4("a.mp4") };
    let clip = clip.make(&fleet.folder)?;
    let uploads = [fleet.upload(&clip).await?, fleet.upload(&clip).await?];
    // Seven failures are behind both.
    stack.change_rows("UPDATE jobs SET undecided_failures = 7".to_owned()).await?;
    let index = fleet.start("origin", &[("JOBS", "2")]).await?;
    for dead in 1..=uploads.len() {
        kill_ffmpeg_of(&fleet, index).await?;
        let look = async || Ok((dead_letters(&fleet)?.len() == dead).then_some(()));
        until(TIMEOUT, look, || "the dead letter is missing".to_owned()).await?;
        let others = uploads.len() - dead;
        let processing = "SELECT count(*) FROM contents WHERE state = 'processing' AND id > ?1";
        ensure!(stack.count(processing, 0)? == others as u64, "both files were processed at once");
    }
    for upload in &uploads {
        let status = fleet.status(upload).await?;
        ensure!(status["detail"].as_str().is_some_and(|detail| detail.contains("not in your file")), "{status:#}");
        // Other tests have the same stack.
        command(&fleet, &["dlq", "drop", &upload.content_uuid])?;
    }
    ensure!(dead_letters(&fleet)?.is_empty());
    Ok(())
}

/// Kills every ffmpeg that the origin runs, as soon as it runs one.
async fn kill_ffmpeg_of(fleet: &OriginFleet, index: usize) -> Result<()> {
    let origin = fleet.origins[index].id();
    let look = async || {
        let running = descendants(origin)?.into_iter().filter(|process| process.name == "ffmpeg");
        let killed: Vec<_> = running.filter(|process| send_kill(process.id)).collect();
        Ok((!killed.is_empty()).then_some(()))
    };
    until(TIMEOUT, look, || "the origin runs no ffmpeg".to_owned()).await
}

fn send_kill(process: u32) -> bool {
    std::process::Command::new("kill")
        .args(["-KILL", &process.to_string()])
        .status()
        .is_ok_and(|status| status.success())
}

/// Lets the job's pause be over, and sends it.
async fn end_pause(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<()> {
    let id = upload.content_id;
    let over = format!("UPDATE jobs SET due_at_unix = 1 WHERE content_id = {id} AND state = 'waiting'");
    fleet.stack.change_rows_and_sweep(over).await.map(drop)
}

struct Process {
    id: u32,
    parent: u32,
    name: String,
}

/// Returns the processes that a process started, directly or not.
fn descendants(ancestor: u32) -> Result<Vec<Process>> {
    let mut others: Vec<Process> = std::fs::read_dir("/proc")?.flatten().filter_map(|entry| process(&entry)).collect();
    let (mut found, mut ancestors) = (Vec::new(), vec![ancestor]);
    while let Some(parent) = ancestors.pop() {
        let (children, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(|process| process.parent == parent);
        ancestors.extend(children.iter().map(|process| process.id));
        found.extend(children);
        others = rest;
    }
    Ok(found)
}

/// Reads a process of `/proc`: its id, its name in brackets, its state and its parent.
fn process(entry: &std::fs::DirEntry) -> Option<Process> {
    let id = entry.file_name().to_str()?.parse().ok()?;
    let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
    let (before, rest) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    Some(Process { id, parent: rest.split_whitespace().nth(1)?.parse().ok()?, name: name.to_owned() })
}

/// Checks that the list names the last error.
fn ensure_listed(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<()> {
    let letters = dead_letters(fleet)?;
    ensure!(letters.len() == 1, "{letters:?}");
    let letter = &letters[0];
    ensure!(letter["content_uuid"] == *upload.content_uuid && letter["work"] == "video", "{letter}");
    ensure!(letter["error_message_code"] == "content_processing_failed", "{letter}");
    ensure!(letter["detail"].as_str().is_some_and(|detail| detail.contains("fell silent")), "{letter}");
    ensure!(letter["origin"] == "killed" && letter["silences"] == MAX_SILENCES, "{letter}");
    Ok(())
}

/// Sends a dead letter, shows it and drops it.
async fn drop_dead_letter(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<()> {
    let letter = JobMessage {
        version: JOB_VERSION,
        content_id: upload.content_id,
        content_uuid: upload.content_uuid.clone(),
        generation: 1,
        work: JobWork::Video,
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
