//! The pages of an origin for its operators: health, readiness, metrics.

use anyhow::{Context, Result, ensure};
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::time::Duration;
use tests::{Clip, OriginFleet, TestStack, e2e, send, until};

/// Metrics after one job.
const METRICS: [&str; 8] = [
    "clipgate_jobs_total{outcome=\"processed\"} 1",
    "clipgate_stage_seconds_count{stage=\"transcode\"} 1",
    "clipgate_job_seconds_count 1",
    "clipgate_queue_lag_seconds_count 1",
    "clipgate_queue_backlog",
    "clipgate_job_delivery_attempts_bucket{le=\"1\"} 1",
    "clipgate_bytes_total{direction=\"in\"}",
    "clipgate_jobs_running 0",
];

#[e2e(Own)]
async fn health_readiness_and_metrics_are_served(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let socket = fleet.folder.join("systemd");
    let systemd = UnixDatagram::bind(&socket)?;
    systemd.set_read_timeout(Some(Duration::from_secs(30)))?;
    let vars = [("NOTIFY_SOCKET", socket.to_str().context("no path")?), ("WATCHDOG_USEC", "900000")];
    fleet.start("watched", &vars).await?;
    for expected in ["READY=1", "WATCHDOG=1", "WATCHDOG=1"] {
        ensure!(next_message(&systemd)? == expected);
    }
    let clip = Clip::mp4("a.mp4").make(&fleet.folder)?;
    let upload = fleet.upload(&clip).await?;
    fleet.until_published(&upload, Duration::from_mins(1)).await?;
    let address = fleet.origins[0].address.clone();
    let page = async |path| send(stack.client.get(format!("http://{address}{path}"))).await;
    for (path, text) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
        let answer = page(path).await?;
        ensure!(answer.status == 200 && answer.bytes == text.as_bytes());
    }
    // The metrics are updated after the report that publishes the content.
    let look = async || {
        let metrics = String::from_utf8(page("/metrics").await?.bytes)?;
        Ok(METRICS.iter().all(|name| metrics.contains(name)).then_some(()))
    };
    let describe = || format!("not all of {METRICS:#?}");
    until(Duration::from_secs(30), look, describe).await
}

/// Returns the next message to systemd.
fn next_message(systemd: &UnixDatagram) -> Result<String> {
    let mut buffer = [0; 256];
    let length = systemd.recv(&mut buffer).context("nothing more was said to systemd")?;
    Ok(String::from_utf8_lossy(&buffer[..length]).trim_end().to_owned())
}
