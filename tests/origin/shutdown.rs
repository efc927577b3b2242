//! An origin that is asked to stop finishes its jobs, or releases them, before the deadline.

use anyhow::{Result, ensure};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{Clip, OriginFleet, TestStack, e2e};

const MINUTE: Duration = Duration::from_mins(1);

#[e2e(Own)]
async fn a_job_that_can_be_finished_before_the_deadline_is_finished(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = Clip::mp4("a.mp4").make(&fleet.folder)?;
    let index = fleet.start("stopping", &[("SHUTDOWN_SECONDS", "30")]).await?;
    let upload = fleet.upload(&clip).await?;
    fleet.until_row(&upload, MINUTE, |row| row["attempt"] == 1).await?;
    let status = fleet.stop(index, Duration::from_secs(30)).await?;
    ensure!(status.code() == Some(0), "{status}");
    ensure!(fleet.status(&upload).await?["state"] == "published");
    ensure!(fleet.leftovers()?.is_empty());
    Ok(())
}

#[e2e(Own)]
async fn a_long_job_is_released_before_the_deadline_and_another_origin_completes_it(
    stack: Arc<TestStack>,
) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = Clip { size: (1280, 720), milliseconds: 8_000, ..Clip::mp4("a.mp4") };
    let clip = clip.make(&fleet.folder)?;
    let index = fleet.start("stopping", &[("SHUTDOWN_SECONDS", "1")]).await?;
    let upload = fleet.upload(&clip).await?;
    fleet.until_begun(&upload).await?;
    let stopped = Instant::now();
    let status = fleet.stop(index, Duration::from_secs(5)).await?;
    ensure!(status.code() == Some(0), "{status}");
    println!("shutdown: a running job was released in {:.1} s", stopped.elapsed().as_secs_f64());
    ensure!(fleet.leftovers()?.is_empty());
    ensure!(fleet.row(&upload)?["state"] == "processing");
    let released = Instant::now();
    fleet.start("successor", &[]).await?;
    let row = fleet.until_row(&upload, MINUTE, |row| row["claimed_by"] == "successor").await?;
    println!("shutdown: another origin claimed it {:.1} s later", released.elapsed().as_secs_f64());
    ensure!(released.elapsed() < MINUTE / 4, "the job waited for a claim that was already released: {row:#?}");
    fleet.until_published(&upload, 2 * MINUTE).await?;
    // A large video has a second job, which only the successor could claim.
    let twice = "SELECT count(*) FROM jobs WHERE content_id = ?1 AND attempt = iif(kind = 'video', 2, 1)";
    let (twice, jobs) = (stack.count(twice, upload.content_id)?, "SELECT count(*) FROM jobs WHERE content_id = ?1");
    ensure!(twice == stack.count(jobs, upload.content_id)?, "{:#?}", fleet.row(&upload));
    Ok(())
}
