//! The Worker's cron trigger, which wrangler does not fire by itself.

use crate::network::http_client;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

/// Runs the Worker's scheduled handler repeatedly until this is dropped.
#[derive(Debug)]
pub struct Schedule(JoinHandle<()>);

impl Schedule {
    /// Starts the schedule; the first run is after one interval. `address` is wrangler's, not the cache's.
    pub fn start(address: &str, interval: Duration) -> Self {
        let request = http_client().get(format!("{address}/cdn-cgi/handler/scheduled")).timeout(interval);
        Self(tokio::spawn(async move {
            let mut ticks = tokio::time::interval(interval);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            ticks.tick().await;
            loop {
                ticks.tick().await;
                if let Some(error) = run(&request).await.err() {
                    eprintln!("clipgate: the scheduled work of this minute did not run: {error}");
                }
            }
        }))
    }
}

async fn run(request: &reqwest::RequestBuilder) -> anyhow::Result<()> {
    let request = request.try_clone().ok_or_else(|| anyhow::anyhow!("a request with a body"))?;
    request.send().await?.error_for_status()?;
    Ok(())
}

impl Drop for Schedule {
    fn drop(&mut self) {
        self.0.abort();
    }
}
