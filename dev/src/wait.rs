//! Waiting until a program that was started does its work.

use crate::process::Group;
use anyhow::{Result, bail};
use std::path::Path;
use std::time::{Duration, Instant};

/// workerd is up within seconds; a minute allows for a machine that builds something beside it.
const BOOT_DEADLINE: Duration = Duration::from_mins(1);

/// For whom, and where to look when it does not come.
#[derive(Clone, Copy, Debug)]
pub struct Waiting<'a> {
    pub name: &'a str,
    pub log: &'a Path,
}

/// Returns when it is ready; fails with the end of its log when it ended or takes too long.
pub async fn until(
    group: &mut Group,
    waiting: Waiting<'_>,
    ready: impl AsyncFn() -> bool,
) -> Result<()> {
    let Waiting { name, log } = waiting;
    let deadline = Instant::now() + BOOT_DEADLINE;
    loop {
        if let Some(status) = group.ended() {
            bail!("the {name} ended with {status}; its log:\n{}", tail(log));
        }
        if ready().await {
            return Ok(());
        }
        if Instant::now() > deadline {
            bail!(
                "the {name} did not answer within {BOOT_DEADLINE:?}; its log:\n{}",
                tail(log)
            );
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Whether the request is answered with a success.
pub async fn succeeds(request: &reqwest::RequestBuilder) -> bool {
    let Some(request) = request.try_clone() else {
        return false;
    };
    let answer = request.timeout(BOOT_DEADLINE).send().await;
    answer.is_ok_and(|answer| answer.status().is_success())
}

fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}
