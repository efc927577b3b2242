//! A job that kills its worker each time is given up, and only that one.

use crate::bridge::{advance, depth_and_dead};
use crate::clips::Clip;
use crate::fleet::{Fleet, Upload};
use crate::harness::{Harness, Suite};
use anyhow::{Context, Result, ensure};
use contract::job::MAX_DELIVERIES;
use contract::{JOB_VERSION, JobMessage};
use dev::Origin;
use origin::queue::{QueueAddress, QueueClient};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

const PATIENCE: Duration = Duration::from_mins(1);
/// How long a job rests whose origin was killed.
const REST: Duration = Duration::from_secs(10);

pub fn register(suite: &mut Suite) {
    suite.add_on_its_own_stack(
        "poison::a_job_that_kills_its_worker_is_given_up_and_can_be_brought_back",
        poison,
    );
}

async fn poison(harness: Arc<Harness>) -> Result<()> {
    let mut fleet = Fleet::new(&harness).await?;
    let clip = Clip {
        size: (640, 360),
        milliseconds: 6_000,
        ..Clip::mp4("a.mp4")
    };
    let clip = clip.make(&fleet.folder)?;
    let upload = fleet.upload(&clip).await?;
    let mut neighbours = Vec::new();
    for _ in 0..2 {
        neighbours.push(fleet.upload(&clip).await?);
    }
    let number = fleet.start("killed", &[]).await?;
    kill_each_time(&mut fleet, number, &upload).await?;
    for neighbour in &neighbours {
        fleet.until_published(neighbour, PATIENCE).await?;
        ensure!(fleet.row(neighbour)?["delivery"].as_u64() < Some(3));
    }
    until_dead(&fleet, 1).await?;
    let letters = dead_letters(&fleet)?;
    ensure!(
        letters.len() == 1 && letters[0]["content_uuid"] == *upload.content_uuid,
        "{letters:?}"
    );
    // Its owner is told once the last attempt has been silent for long enough.
    fleet.silence(&upload).await?;
    fleet.sweep().await?;
    let status = fleet.status(&upload).await?;
    ensure!(status["state"] == "failed", "{status:#}");
    ensure!(
        status["error_message_code"] == "content_processing_failed",
        "{status:#}"
    );

    command(&fleet, &["dlq", "retry", &upload.content_uuid])?;
    fleet.until_published(&upload, PATIENCE).await?;
    ensure!(dead_letters(&fleet)?.is_empty());
    drop_one(&fleet, &upload).await
}

async fn drop_one(fleet: &Fleet, upload: &Upload) -> Result<()> {
    let env = fleet.harness.env();
    let address = QueueAddress {
        base: env.get("QUEUE_API_BASE").to_owned(),
        account: env.get("QUEUE_ACCOUNT_ID").to_owned(),
        queue: env.get("QUEUE_DEAD_ID").to_owned(),
    };
    let letter = JobMessage {
        version: JOB_VERSION,
        content_id: upload.content_id,
        content_uuid: upload.content_uuid.clone(),
        generation: 1,
    };
    let dead = QueueClient::new(&address, env.get("QUEUE_API_TOKEN").into())?;
    dead.send(&serde_json::to_string(&letter)?, Duration::ZERO)
        .await?;
    let shown = command(fleet, &["dlq", "show", &upload.content_uuid])?;
    let shown: Value = serde_json::from_slice(&shown)?;
    ensure!(shown["content_uuid"] == *upload.content_uuid, "{shown}");
    command(fleet, &["dlq", "drop", &upload.content_uuid])?;
    ensure!(dead_letters(fleet)?.is_empty());
    ensure!(command(fleet, &["dlq", "drop", &upload.content_uuid]).is_err());
    Ok(())
}

/// Kills the origin whenever it has begun that job, until nobody gives it the job any more.
async fn kill_each_time(fleet: &mut Fleet, number: usize, upload: &Upload) -> Result<()> {
    for delivery in 1..=MAX_DELIVERIES {
        let begun = |row: &serde_json::Map<String, Value>| row["delivery"] == delivery;
        let row = fleet.until(upload, PATIENCE, begun).await?;
        ensure!(
            row["state"] == "processing",
            "it was quicker than its killer: {row:#?}"
        );
        fleet.crash(number)?;
        fleet.origins[number].ready().await?;
        until_past(row["heard_at_unix"].as_u64()).await;
        advance(&fleet.harness, REST).await?;
    }
    Ok(())
}

/// An origin signs with whole seconds, and a claim within the second of the last one is its repetition.
async fn until_past(heard_at_unix: Option<u64>) {
    let now = || {
        SystemTime::UNIX_EPOCH
            .elapsed()
            .map_or(0, |since| since.as_secs())
    };
    // What was heard while it was being killed is a second later at most.
    while now() <= heard_at_unix.unwrap_or_default() + 1 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn until_dead(fleet: &Fleet, count: u64) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while depth_and_dead(&fleet.harness).await? != (0, count) {
        ensure!(Instant::now() < deadline, "no dead letter came");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

fn dead_letters(fleet: &Fleet) -> Result<Vec<Value>> {
    let printed = command(fleet, &["dlq", "list", "--json"])?;
    let letters: Value = serde_json::from_slice(&printed)?;
    Ok(letters.as_array().context("no list")?.clone())
}

/// What the command printed, if it succeeded.
fn command(fleet: &Fleet, arguments: &[&str]) -> Result<Vec<u8>> {
    let mut command = Origin::command(fleet.harness.env())?;
    crate::clips::succeed({
        command.args(arguments);
        command
    })
}
