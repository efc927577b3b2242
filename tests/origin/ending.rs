//! An origin that is asked to end finishes what it has, or gives it back in time.

use crate::clips::Clip;
use crate::fleet::Fleet;
use crate::harness::{Harness, Suite};
use anyhow::{Result, ensure};
use std::sync::Arc;
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_mins(1);

pub fn register(suite: &mut Suite) {
    suite.add_on_its_own_stack("ending::a_job_that_can_be_finished_is_finished", finished);
    suite.add_on_its_own_stack(
        "ending::a_long_job_is_given_back_within_the_deadline_and_another_origin_ends_it",
        given_back,
    );
}

async fn finished(harness: Arc<Harness>) -> Result<()> {
    let mut fleet = Fleet::new(&harness).await?;
    let clip = Clip::mp4("a.mp4").make(&fleet.folder)?;
    let number = fleet.start("ends", &[("SHUTDOWN_SECONDS", "30")]).await?;
    let upload = fleet.upload(&clip).await?;
    fleet
        .until(&upload, MINUTE, |row| row["delivery"] == 1)
        .await?;
    let status = fleet.end(number, Duration::from_secs(30)).await?;
    ensure!(status.code() == Some(0), "{status}");
    ensure!(fleet.status(&upload).await?["state"] == "published");
    ensure!(fleet.leftovers()?.is_empty());
    Ok(())
}

async fn given_back(harness: Arc<Harness>) -> Result<()> {
    let mut fleet = Fleet::new(&harness).await?;
    let clip = Clip {
        size: (1280, 720),
        milliseconds: 15_000,
        ..Clip::mp4("a.mp4")
    };
    let clip = clip.make(&fleet.folder)?;
    let number = fleet.start("ends", &[("SHUTDOWN_SECONDS", "1")]).await?;
    let upload = fleet.upload(&clip).await?;
    fleet
        .until(&upload, MINUTE, |row| row["stage"] == "transcode")
        .await?;
    let asked = Instant::now();
    let status = fleet.end(number, Duration::from_secs(5)).await?;
    ensure!(status.code() == Some(0), "{status}");
    println!(
        "ending: a job in its middle was given back in {:.1} s",
        asked.elapsed().as_secs_f64()
    );
    ensure!(fleet.leftovers()?.is_empty());
    ensure!(fleet.row(&upload)?["state"] == "processing");
    let given_back = Instant::now();
    fleet.start("goes-on", &[]).await?;
    let row = fleet
        .until(&upload, MINUTE, |row| row["claimed_by"] == "goes-on")
        .await?;
    println!(
        "ending: another origin had it {:.1} s later",
        given_back.elapsed().as_secs_f64()
    );
    ensure!(
        given_back.elapsed() < MINUTE / 4,
        "it waited for a claim that nobody needed: {row:#?}"
    );
    fleet.until_published(&upload, 2 * MINUTE).await?;
    let row = fleet.row(&upload)?;
    ensure!(
        row["claimed_by"].is_null() || row["claimed_by"] == "goes-on",
        "{row:#?}"
    );
    ensure!(row["delivery"] == 2, "{row:#?}");
    Ok(())
}
