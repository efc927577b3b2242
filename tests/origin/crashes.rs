//! Origins that are killed at any moment lose no job, and complete none twice.

use anyhow::{Result, ensure};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{AcceptedUpload, Clip, OriginFleet, TestQueue, TestStack, e2e, until};

/// A claim lasts one minute and the queue's lease two and a half minutes in this test. Both may have to expire.
const TIMEOUT: Duration = Duration::from_mins(4);
/// The queue's lease in this test.
const LEASE: Duration = Duration::from_secs(150);

#[e2e(Own)]
async fn every_job_is_published_once_although_its_origins_are_killed_repeatedly(stack: Arc<TestStack>) -> Result<()> {
    let (jobs, kills) = (fixtures::cases(12, 40), fixtures::cases(5, 10));
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = Clip { size: (160, 90), milliseconds: 2_000, ..Clip::mp4("a.mp4") };
    let clip = clip.make(&fleet.folder)?;
    let mut uploads = Vec::new();
    for _ in 0..jobs {
        uploads.push(fleet.upload(&clip).await?);
    }
    let vars = [("JOB_TIMEOUT_SECONDS", "30")];
    for name in ["first", "second"] {
        fleet.start(name, &vars).await?;
    }
    let mut random = SeededRandom(0x5EED_0005);
    let started = Instant::now();
    for _ in 0..kills {
        tokio::time::sleep(Duration::from_millis(500 + random.below(2_500))).await;
        fleet.crash(usize::from(random.below(2) == 0))?;
    }
    let (killed_after, last_kill) = (started.elapsed(), Instant::now());
    let waiting = count_processing(&fleet, &uploads)?;
    if !fixtures::cases(false, true) {
        expire_what_killed_origins_hold(&mut fleet, &uploads).await?;
    }
    let mut attempts = 0;
    for upload in &uploads {
        fleet.until_published(upload, TIMEOUT).await?;
        let row = fleet.row(upload)?;
        ensure!(row["generation"] == 1, "{row:#?}");
        attempts = attempts.max(row["attempt"].as_u64().unwrap_or_default());
        ensure_done_once(&fleet, upload)?;
    }
    println!(
        "crashes: {kills} kills within {:.1} s over {jobs} jobs, {waiting} left after the last; all published {:.1} s \
         later; at most {attempts} delivery attempts of one job",
        killed_after.as_secs_f64(),
        last_kill.elapsed().as_secs_f64()
    );
    ensure!(waiting > 0, "the kills came too late to matter");
    until_quiet(&fleet).await?;
    ensure!(fleet.leftovers()?.is_empty(), "{:?}", fleet.leftovers()?);
    Ok(())
}

fn count_processing(fleet: &OriginFleet, uploads: &[AcceptedUpload]) -> Result<usize> {
    let mut count = 0;
    for upload in uploads {
        count += usize::from(fleet.row(upload)?["state"] == "processing");
    }
    Ok(count)
}

/// Expires the leases and claims of killed origins, instead of waiting minutes for it. A deep run waits.
///
/// While no origin holds a message, every lease and every claim belongs to a process that was killed.
async fn expire_what_killed_origins_hold(fleet: &mut OriginFleet, uploads: &[AcceptedUpload]) -> Result<()> {
    for origin in &mut fleet.origins {
        origin.wait_until_ready().await?;
    }
    let fleet = &*fleet;
    let queue = TestQueue::of_jobs(&fleet.stack)?;
    let look = async || {
        if stays_idle(fleet).await? {
            // A kill during a claim may have kept the Worker from sending the job that the claim had released.
            fleet.stack.sweep().await?;
            for upload in uploads {
                fleet.expire_claim(upload).await?;
            }
            queue.advance(LEASE).await?;
        }
        Ok((count_processing(fleet, uploads)? == 0).then_some(()))
    };
    until(TIMEOUT, look, || "jobs are still processed".to_owned()).await
}

/// Returns whether all origins have been without a message for longer than their polling interval.
///
/// An origin keeps the lease of each message in its work folder, even while it waits for another origin's claim to end.
/// If the lease expired then, the message would be redelivered until no attempt is left.
async fn stays_idle(fleet: &OriginFleet) -> Result<bool> {
    for _ in 0..8 {
        if !fleet.leftovers()?.is_empty() {
            return Ok(false);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(true)
}

/// Fails unless one report was accepted and only the files of one generation are stored.
fn ensure_done_once(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<()> {
    let sql = "SELECT count(*) FROM reports WHERE content_id = ?1";
    ensure!(fleet.stack.count(sql, upload.content_id)? == 1);
    let folder = format!("media/{}/", upload.content_uuid);
    let mut objects = fleet.stack.objects()?;
    objects.retain(|object| object.key.starts_with(&folder));
    ensure!(!objects.is_empty());
    ensure!(objects.iter().all(|object| object.key.starts_with(&format!("{folder}1/"))), "{objects:?}");
    Ok(())
}

/// Waits until no message is left. Messages that killed origins held may be delivered again, only to be acknowledged.
async fn until_quiet(fleet: &OriginFleet) -> Result<()> {
    let queue = TestQueue::of_jobs(&fleet.stack)?;
    let look = async || {
        let (depth, dead) = queue.depth_and_dead().await?;
        ensure!(dead == 0, "a job became a dead letter");
        Ok((depth == 0 && fleet.leftovers()?.is_empty()).then_some(()))
    };
    until(TIMEOUT, look, || "messages are left".to_owned()).await
}

/// Random numbers that are the same in each run.
struct SeededRandom(u64);

impl SeededRandom {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}
