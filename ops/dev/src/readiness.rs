//! Waits until a program that was just started is ready.

use crate::process::ProcessGroup;
use anyhow::{Result, bail};
use std::path::Path;
use std::time::{Duration, Instant};

/// workerd starts within seconds. On a machine that is busy compiling, starting it took up to 57.
const START_TIMEOUT: Duration = Duration::from_mins(4);

/// Returns once `is_ready` returns true. Fails, with the end of the program's log, if the program ends or takes longer
/// than `START_TIMEOUT`.
pub(crate) async fn wait_until(group: &mut ProcessGroup, is_ready: impl AsyncFn() -> bool) -> Result<()> {
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        if let Some(status) = group.exit_status() {
            bail!("the {} ended with {status}. The end of its log:\n{}", group.name(), tail(group.log()));
        }
        if is_ready().await {
            return Ok(());
        }
        if Instant::now() > deadline {
            let name = group.name();
            bail!("the {name} was not ready within {START_TIMEOUT:?}. The end of its log:\n{}", tail(group.log()));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Whether the request gets a successful response.
pub(crate) async fn succeeds(request: &reqwest::RequestBuilder) -> bool {
    let Some(request) = request.try_clone() else {
        return false;
    };
    let response = request.timeout(START_TIMEOUT).send().await;
    response.is_ok_and(|response| response.status().is_success())
}

/// Returns the last 30 lines of a file.
fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}
