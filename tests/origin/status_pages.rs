//! What an origin tells whoever watches over it.

use crate::clips::Clip;
use crate::fleet::Fleet;
use crate::harness::{Harness, Suite, send};
use anyhow::{Result, ensure};
use std::sync::Arc;
use std::time::{Duration, Instant};

const NAMES: [&str; 8] = [
    "clipgate_jobs_total{outcome=\"processed\"} 1",
    "clipgate_stage_seconds_count{stage=\"transcode\"} 1",
    "clipgate_job_seconds_count 1",
    "clipgate_queue_lag_seconds_count 1",
    "clipgate_queue_backlog",
    "clipgate_job_deliveries_bucket{le=\"1\"} 1",
    "clipgate_bytes_total{direction=\"in\"}",
    "clipgate_jobs_running 0",
];

pub fn register(suite: &mut Suite) {
    suite.add_on_its_own_stack("status_pages::health_readiness_and_figures_are_told", told);
}

async fn told(harness: Arc<Harness>) -> Result<()> {
    let mut fleet = Fleet::new(&harness).await?;
    fleet.start("watched", &[]).await?;
    let clip = Clip::mp4("a.mp4").make(&fleet.folder)?;
    let upload = fleet.upload(&clip).await?;
    fleet
        .until_published(&upload, Duration::from_secs(30))
        .await?;
    let address = fleet.origins[0].address.clone();
    let page = async |path| send(harness.client.get(format!("http://{address}{path}"))).await;
    for (path, text) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
        let answer = page(path).await?;
        ensure!(answer.status == 200 && answer.bytes == text.as_bytes());
    }
    // Counted behind the report, which is what publishes.
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let metrics = String::from_utf8(page("/metrics").await?.bytes)?;
        let Some(missing) = NAMES.iter().find(|name| !metrics.contains(**name)) else {
            return Ok(());
        };
        ensure!(Instant::now() < deadline, "no {missing} in\n{metrics}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
