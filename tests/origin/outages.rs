//! Outages of the edge and of the queue, and an origin that never comes back: no job is lost, hidden or done twice.

use anyhow::{Result, ensure};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{AcceptedUpload, Clip, OriginFleet, Store, TestQueue, TestStack, e2e, until};

const MINUTE: Duration = Duration::from_mins(1);

fn short_clip(fleet: &OriginFleet) -> Result<Vec<u8>> {
    Clip { size: (160, 90), milliseconds: 2_000, ..Clip::mp4("short.mp4") }.make(&fleet.folder)
}

fn long_clip(fleet: &OriginFleet) -> Result<Vec<u8>> {
    Clip { size: (1280, 720), milliseconds: 8_000, ..Clip::mp4("long.mp4") }.make(&fleet.folder)
}

#[e2e(Own)]
async fn an_outage_of_the_edge_costs_no_delivery_attempt_and_no_finished_work(stack: Arc<TestStack>) -> Result<()> {
    let outage = Duration::from_secs(fixtures::cases(40, 300));
    let mut fleet = OriginFleet::new(&stack).await?;
    let (long, short) = (long_clip(&fleet)?, short_clip(&fleet)?);
    let mut uploads = vec![fleet.upload(&long).await?];
    for _ in 0..3 {
        uploads.push(fleet.upload(&short).await?);
    }
    for name in ["first", "second"] {
        fleet.start(name, &[("JOBS", "1")]).await?;
    }
    fleet.until_begun(&uploads[0]).await?;
    let broken = stack.break_store(Store::Contents)?;
    tokio::time::sleep(outage).await;
    drop(broken);
    let mended = Instant::now();
    for upload in &uploads {
        fleet.until_published(upload, MINUTE.saturating_sub(mended.elapsed())).await?;
    }
    println!("outage: {outage:?} without the edge; all published {:.1} s after it", mended.elapsed().as_secs_f64());
    for upload in &uploads {
        // A large video has a second job.
        let jobs = stack.count("SELECT count(*) FROM jobs WHERE content_id = ?1", upload.content_id)?;
        let repeated =
            stack.count("SELECT count(*) FROM jobs WHERE content_id = ?1 AND attempt <> 1", upload.content_id)?;
        ensure!(fleet.row(upload)?["generation"] == jobs && repeated == 0, "{:#?}", fleet.row(upload));
        let times = u64::try_from(begun(&fleet, upload))?;
        ensure!(times == jobs, "{} was begun {times} times", upload.content_uuid);
    }
    until_quiet(&fleet, MINUTE).await.map(drop)
}

/// Returns how often an origin began to work on a content.
fn begun(fleet: &OriginFleet, upload: &AcceptedUpload) -> usize {
    let logs = fleet.origins.iter().map(|origin| std::fs::read_to_string(origin.log()).unwrap_or_default());
    let is_begin = |line: &&str| line.contains("job begins") && line.contains(&upload.content_uuid);
    logs.map(|log| log.lines().filter(is_begin).count()).sum()
}

/// Waits until no message is left, and returns how long that took.
async fn until_quiet(fleet: &OriginFleet, at_most: Duration) -> Result<Duration> {
    let (queue, started) = (TestQueue::of_jobs(&fleet.stack)?, Instant::now());
    let look = async || Ok((queue.depth_and_dead().await? == (0, 0)).then_some(()));
    until(at_most, look, || "messages are left".to_owned()).await?;
    Ok(started.elapsed())
}

#[e2e(Own)]
async fn a_queue_that_settles_nothing_for_a_while_hides_no_message(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let queue = TestQueue::of_jobs(&stack)?;
    fleet.start("origin", &[]).await?;
    queue.set_faults(json!([{ "on": "ack", "kind": "unavailable", "times": null }])).await?;
    let upload = fleet.upload(&short_clip(&fleet)?).await?;
    fleet.until_published(&upload, MINUTE).await?;
    // Longer than a few tries in a row take.
    tokio::time::sleep(Duration::from_secs(20)).await;
    ensure!(queue.depth().await? == 1, "the message was settled in spite of the fault");
    queue.set_faults(json!([])).await?;
    let took = until_quiet(&fleet, Duration::from_secs(20)).await?;
    println!("outage: 20 s without settlements; the message was acknowledged {:.1} s after it", took.as_secs_f64());
    Ok(())
}

#[e2e(Own)]
async fn the_job_of_an_origin_that_never_comes_back_is_sent_to_another(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let upload = fleet.upload(&long_clip(&fleet)?).await?;
    let lost = fleet.start("lost", &[]).await?;
    fleet.until_begun(&upload).await?;
    fleet.origins[lost].kill();
    // Its message stays hidden for a quarter of an hour. The claim expires while the edge is available.
    stack.sweep().await?;
    fleet.expire_claim(&upload).await?;
    stack.sweep().await?;
    fleet.start("other", &[]).await?;
    fleet.until_published(&upload, MINUTE).await?;
    let twice = "SELECT count(*) FROM jobs WHERE content_id = ?1 AND kind = 'video' AND generation = 1 AND attempt = 2";
    ensure!(stack.count(twice, upload.content_id)? == 1, "{:#?}", fleet.row(&upload));
    Ok(())
}
