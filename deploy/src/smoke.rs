//! Checks that a deployed environment answers.

use anyhow::{Context, Result, bail, ensure};
use contract::paths;
use reqwest::Client;
use std::time::{Duration, Instant};

/// The certificates and routes of a new host name take a while to reach all locations.
const TIMEOUT: Duration = Duration::from_mins(3);
const PAUSE: Duration = Duration::from_secs(2);

/// Waits until the Worker answers at this address, and returns its version.
pub async fn wait_until_healthy(address: &str, timeout: Duration) -> Result<String> {
    dev::install_crypto_provider();
    let client = Client::builder().timeout(Duration::from_secs(10)).build()?;
    let started = Instant::now();
    loop {
        match version(&client, address).await {
            Ok(version) => return Ok(version),
            Err(error) if started.elapsed() >= timeout => {
                bail!("{address}{}: {error:#}\nDoes the zone have a proxied DNS record for this host?", paths::HEALTH)
            }
            Err(_) => tokio::time::sleep(PAUSE.min(timeout)).await,
        }
    }
}

/// Returns the time that a deployment waits for the Worker by default.
pub fn default_timeout() -> Duration {
    TIMEOUT
}

async fn version(client: &Client, address: &str) -> Result<String> {
    let response = client.get(format!("{address}{}", paths::HEALTH)).send().await?;
    ensure!(response.status() == 200, "status {}", response.status());
    let answer: serde_json::Value = response.json().await.context("the answer is not the Worker's")?;
    Ok(answer["version"].as_str().context("the answer has no version")?.to_owned())
}
