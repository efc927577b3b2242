//! What several commands build from the configuration.

use crate::arguments::{EdgeArguments, ToolArguments};
use crate::configuration::{self, Problems, Queue};
use crate::confined::Confined;
use crate::edge;
use crate::http;
use crate::media::Tools;
use crate::queue::{QueueAddress, QueueClient, QueueError};
use crate::secret;
use anyhow::{Context, Result, anyhow, bail};
use sandbox::Sandbox;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(30);

/// Decoder, encoders and filters have so many threads each at most, and each thread its own frames: from about 20 on they are
/// more than the sandbox's memory holds, and above 8 a video of this size hardly becomes faster.
const MOST_THREADS: usize = 8;

/// ffmpeg and ffprobe, in as much of a sandbox as is asked for.
pub fn tools(arguments: &ToolArguments, jobs_at_once: u32) -> Result<Tools> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Tools {
        ffmpeg: find(&arguments.ffmpeg)?,
        ffprobe: find(&arguments.ffprobe)?,
        confine: Arc::new(Confined::new(sandbox(arguments)?)),
        threads: threads(cores, jobs_at_once),
    })
}

/// The cores are shared out among the jobs.
fn threads(cores: usize, jobs_at_once: u32) -> usize {
    (cores / jobs_at_once.max(1) as usize).clamp(1, MOST_THREADS)
}

fn sandbox(arguments: &ToolArguments) -> Result<Sandbox> {
    if !arguments.allow_weak_sandbox {
        return Ok(Sandbox::required()?);
    }
    let sandbox = Sandbox::without_missing_parts();
    if let Err(missing) = sandbox.support().check() {
        tracing::warn!("working in a weak sandbox, as was asked for: {missing}");
    }
    Ok(sandbox)
}

/// The program's absolute path: a sandboxed one is not searched for.
fn find(program: &Path) -> Result<PathBuf> {
    let found = if program.components().count() > 1 {
        Some(program.to_owned())
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut places = std::env::split_paths(&path).map(|folder| folder.join(program));
        places.find(|place| place.is_file())
    };
    let found = found.with_context(|| format!("{} is not installed", program.display()))?;
    found
        .canonicalize()
        .with_context(|| format!("there is no program {}", found.display()))
}

pub fn queue_client(queue: &Queue, id: &str) -> Result<QueueClient, QueueError> {
    let address = QueueAddress {
        base: queue.api_base.clone(),
        account: queue.account_id.clone(),
        queue: id.to_owned(),
    };
    QueueClient::new(&address, queue.token.clone())
}

pub fn http_client() -> Result<reqwest::Client> {
    http::builder(TIMEOUT).build().context("the HTTP client")
}

/// Has the edge make a new job for the content.
pub async fn ask_for_new_job(content_uuid: &str, arguments: &EdgeArguments) -> Result<()> {
    let url = configuration::edge_url(arguments).map_err(all)?;
    let token = secret::from_environment("ADMIN_TOKEN").map_err(|problem| anyhow!(problem))?;
    let Some(token) = token else {
        bail!("the secret ADMIN_TOKEN (or ADMIN_TOKEN_FILE) is not set");
    };
    edge::requeue(&http_client()?, &url, &token, content_uuid).await?;
    Ok(())
}

/// All that is wrong with a configuration, as one error.
pub fn all(Problems(problems): Problems) -> anyhow::Error {
    let list: Vec<_> = problems
        .iter()
        .map(|problem| format!("\n  - {problem}"))
        .collect();
    anyhow!(
        "the configuration is not complete:{}\nSee `--help`.",
        list.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_share_the_cores_and_none_takes_more_threads_than_its_memory_bears() {
        assert_eq!((threads(4, 2), threads(2, 4), threads(4, 0)), (2, 1, 4));
        assert_eq!((threads(64, 1), threads(64, 4)), (8, 8));
    }
}
