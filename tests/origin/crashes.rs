//! Origins that are killed at any moment lose nothing and make nothing twice.

use crate::bridge::depth_and_dead;
use crate::clips::Clip;
use crate::fleet::{Fleet, Upload};
use crate::harness::{Harness, Suite};
use anyhow::{Result, ensure};
use std::sync::Arc;
use std::time::{Duration, Instant};

const JOBS: u64 = 40;
const KILLS: u32 = 10;
/// A claim holds for a minute, the queue's patience is two and a half here; both may come once.
const PATIENCE: Duration = Duration::from_mins(4);

pub fn register(suite: &mut Suite) {
    suite.add_on_its_own_stack(
        "crashes::forty_jobs_survive_the_killing_of_two_origins_each_done_once",
        forty,
    );
}

async fn forty(harness: Arc<Harness>) -> Result<()> {
    let mut fleet = Fleet::new(&harness).await?;
    let clip = Clip {
        size: (160, 90),
        milliseconds: 2_000,
        ..Clip::mp4("a.mp4")
    };
    let clip = clip.make(&fleet.folder)?;
    let mut uploads = Vec::new();
    for _ in 0..JOBS {
        uploads.push(fleet.upload(&clip).await?);
    }
    let vars = [("JOB_TIMEOUT_SECONDS", "30")];
    for name in ["first", "second"] {
        fleet.start(name, &vars).await?;
    }
    let mut chance = Chance(0x5EED_0005);
    let started = Instant::now();
    for _ in 0..KILLS {
        tokio::time::sleep(Duration::from_millis(500 + chance.below(2_500))).await;
        fleet.crash(usize::from(chance.below(2) == 0))?;
    }
    let (killed_after, last_kill) = (started.elapsed(), Instant::now());
    let waiting = still_processing(&fleet, &uploads)?;
    let mut deliveries = 0;
    for upload in &uploads {
        fleet.until_published(upload, PATIENCE).await?;
        let row = fleet.row(upload)?;
        ensure!(row["generation"] == 1, "{row:#?}");
        deliveries = deliveries.max(row["delivery"].as_u64().unwrap_or_default());
        ensure_once(&fleet, upload)?;
    }
    println!(
        "crashes: {KILLS} kills within {:.1} s over {JOBS} jobs, {waiting} left at the last; all published {:.1} s later; at most {deliveries} deliveries of one",
        killed_after.as_secs_f64(),
        last_kill.elapsed().as_secs_f64()
    );
    ensure!(waiting > 0, "the kills came too late to matter");
    until_quiet(&fleet).await?;
    ensure!(fleet.leftovers()?.is_empty(), "{:?}", fleet.leftovers()?);
    Ok(())
}

fn still_processing(fleet: &Fleet, uploads: &[Upload]) -> Result<usize> {
    let mut count = 0;
    for upload in uploads {
        count += usize::from(fleet.row(upload)?["state"] == "processing");
    }
    Ok(count)
}

/// One accepted report, and the files of one job alone.
fn ensure_once(fleet: &Fleet, upload: &Upload) -> Result<()> {
    let sql = "SELECT count(*) FROM reports WHERE content_id = ?1";
    ensure!(fleet.harness.count(sql, upload.content_id)? == 1);
    let folder = format!("media/{}/", upload.content_uuid);
    let mut names: Vec<_> = fleet.harness.objects()?;
    names.retain(|object| object.key.starts_with(&folder));
    ensure!(!names.is_empty());
    ensure!(
        names
            .iter()
            .all(|object| object.key.starts_with(&format!("{folder}1/"))),
        "{names:?}"
    );
    Ok(())
}

/// Returns when no message is left: those of killed origins may come back once more, to be told that it is over.
async fn until_quiet(fleet: &Fleet) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let (depth, dead) = depth_and_dead(&fleet.harness).await?;
        ensure!(dead == 0, "a job became a dead letter");
        if depth == 0 && fleet.leftovers()?.is_empty() {
            return Ok(());
        }
        ensure!(Instant::now() < deadline, "{depth} messages are left");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Random enough, and the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}
