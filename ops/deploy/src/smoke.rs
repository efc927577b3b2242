//! Checks that a deployed environment answers, and whether it is closed.

use anyhow::{Context, Result, anyhow, bail, ensure};
use contract::paths;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Response, StatusCode};
use std::fmt;
use std::time::{Duration, Instant};

/// The certificates and routes of a new host name take a while to reach all locations.
const TIMEOUT: Duration = Duration::from_mins(3);
const PAUSE: Duration = Duration::from_secs(2);
/// Words of the pages with which Cloudflare blocks programs.
const BLOCKED: [&str; 2] = ["error code: 1010", "Just a moment..."];

/// Waits until the Worker answers at this address, and returns its version and commit.
pub async fn wait_until_healthy(address: &str, timeout: Duration) -> Result<String> {
    let client = client()?;
    let url = format!("{address}{}", paths::HEALTH);
    wait(timeout, async || version(&client, &url).await).await.map_err(|error| {
        let advice =
            if error.is::<BotProtection>() { "" } else { "\nDoes the zone have a proxied DNS record for this host?" };
        anyhow!("{url}: {error:#}{advice}")
    })
}

/// Waits until the service is closed to everyone but operators, or open.
pub async fn wait_until_closed(address: &str, is_closed: bool, timeout: Duration) -> Result<()> {
    let client = client()?;
    let url = format!("{address}{}", paths::OPENAPI);
    let look = async || {
        let status = reached(client.get(&url).send().await?).await?.status();
        let found = status == StatusCode::SERVICE_UNAVAILABLE;
        ensure!(found == is_closed, "it is still {}: status {status}", if found { "closed" } else { "open" });
        Ok(())
    };
    wait(timeout, look).await.with_context(|| url.clone())
}

fn client() -> Result<Client> {
    native::install_crypto_provider();
    Ok(Client::builder().timeout(Duration::from_secs(10)).build()?)
}

/// Repeats a check until it succeeds. Gives up at once if the zone's bot protection answers.
async fn wait<T>(timeout: Duration, check: impl AsyncFn() -> Result<T>) -> Result<T> {
    let started = Instant::now();
    loop {
        match check().await {
            Ok(found) => return Ok(found),
            Err(error) if started.elapsed() >= timeout || error.is::<BotProtection>() => return Err(error),
            Err(_) => tokio::time::sleep(PAUSE.min(timeout)).await,
        }
    }
}

/// Cloudflare answered instead of the Worker, because the client is a program.
#[derive(Debug)]
struct BotProtection;

impl fmt::Display for BotProtection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "Cloudflare returns 403 before the request reaches the Worker, because it treats this program as a bot. It \
             would reject clients and origins too. Turn off Bot Fight Mode and Browser Integrity Check for this \
             host (docs/deploy.md).",
        )
    }
}

impl std::error::Error for BotProtection {}

/// Returns the response, unless the zone's protection against bots sent it.
pub(crate) async fn reached(response: Response) -> Result<Response> {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_json = content_type.is_some_and(|value| value.starts_with("application/json"));
    if response.status() != StatusCode::FORBIDDEN || is_json {
        return Ok(response);
    }
    let is_challenge = response.headers().contains_key("cf-mitigated");
    let text = response.text().await.unwrap_or_default();
    ensure!(!is_challenge && !BLOCKED.iter().any(|words| text.contains(words)), BotProtection);
    bail!("status 403")
}

/// Returns the time that a deployment waits for the Worker by default.
pub fn default_timeout() -> Duration {
    TIMEOUT
}

async fn version(client: &Client, url: &str) -> Result<String> {
    let response = reached(client.get(url).send().await?).await?;
    ensure!(response.status() == 200, "status {}", response.status());
    let answer: serde_json::Value = response.json().await.context("the response is not from the Worker")?;
    let version = answer["version"].as_str().context("the response has no version")?;
    Ok(format!("{version} (commit {})", answer["commit"].as_str().unwrap_or("unknown")))
}
