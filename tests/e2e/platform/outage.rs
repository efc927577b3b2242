//! The queue is down for a while, and ten videos are uploaded each second. Afterwards, the sweep sends all their jobs.
//! `make drill NAME=outage` runs this for an outage of an hour.

use anyhow::{Result, ensure};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{TestStack, e2e};

/// The sweep runs once a minute.
const MOST_SWEEPS: u32 = 10;

/// Inserts the rows of uploads whose jobs did not reach the queue. Each channel has a few of them.
async fn insert_waiting_jobs(stack: &TestStack, jobs: u32) -> Result<()> {
    let numbers = format!("WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT {jobs})");
    for insert in [
        "INSERT INTO channels (id, account_id, daily_upload_limit, created_at_unix)
         SELECT 1000000 + value, 1000000 + value, 50, 1 FROM n WHERE value % 4 = 0",
        "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
         SELECT 1000000 + value, 'outage-' || value, 1000000 + max(value - value % 4, 4), 1, 'committed', 1 FROM n",
        "INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms, file_sha256,
             created_at_unix)
         SELECT 1000000 + value, printf('00000000-0000-7000-8000-%012x', value), 1000000 + max(value - value % 4, 4),
             'processing', 'outage-' || value, 'outage-' || value || '.mp4', '{\"container\":\"mp4\",\"size_bytes\":7}',
             5000, 'h', unixepoch() - 3600 FROM n",
        "INSERT INTO jobs (content_id, channel_id, kind, state, generation, enqueued_at_unix, sendings, due_at_unix)
         SELECT 1000000 + value, 1000000 + max(value - value % 4, 4), 'video', 'due', 1, unixepoch() - 3600, 1, 0
         FROM n",
    ] {
        stack.change_rows(format!("{numbers} {insert}")).await?;
    }
    Ok(())
}

fn waiting(stack: &TestStack) -> Result<u64> {
    stack.count("SELECT count(*) FROM jobs WHERE state = 'due' AND due_at_unix = 0 AND content_id > ?1", 1_000_000)
}

#[e2e(Own)]
async fn the_jobs_of_an_outage_of_the_queue_are_sent_within_ten_minutes(stack: Arc<TestStack>) -> Result<()> {
    let outage = Duration::from_mins(fixtures::cases(2, 60));
    let jobs = u32::try_from(outage.as_secs() * 10)?;
    insert_waiting_jobs(&stack, jobs).await?;
    println!(
        "outage: {} jobs wait after {} minutes with ten uploads a second",
        waiting(&stack)?,
        outage.as_secs() / 60
    );
    ensure!(waiting(&stack)? == u64::from(jobs));
    let mut sweeps = 0;
    while waiting(&stack)? > 0 {
        sweeps += 1;
        ensure!(sweeps <= MOST_SWEEPS, "{} jobs still wait", waiting(&stack)?);
        let started = Instant::now();
        let report = stack.sweep().await?;
        let seconds = started.elapsed().as_secs_f64();
        println!("outage: sweep {sweeps} sends {} jobs in {seconds:.1} s", report["resent_jobs"]);
    }
    println!("outage: no job waits after {sweeps} sweeps, which run once a minute");
    Ok(())
}
