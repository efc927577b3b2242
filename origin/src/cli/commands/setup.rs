//! Builds what several commands need from arguments and settings.

use crate::cli::arguments::{EdgeArguments, ToolArguments};
use crate::cli::configuration::{self, ConfigurationProblems, QueueSettings};
use crate::cli::secret;
use crate::clients::edge;
use crate::clients::http;
use crate::clients::queue::{QueueAddress, QueueClient, QueueError};
use crate::job::work_folder::WorkFolder;
use crate::media::encoders::Encoders;
use crate::media::{self, CancelFlag, MediaContext, Tools};
use crate::sandboxing::SandboxConfinement;
use anyhow::{Context, Result, anyhow, bail};
use contract::api::DeadLetter;
use sandbox::Sandbox;
use secrecy::SecretString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum number of threads for each decoder, encoder and filter. Each thread holds its own frames: with about 20
/// threads they exceed the sandbox's memory limit, and beyond 8 a video of this size is hardly processed faster.
const MAX_THREADS: usize = 8;

/// Finds ffmpeg and ffprobe, and prepares the sandbox for them.
pub(super) fn media_tools(arguments: &ToolArguments, concurrent_jobs: u32) -> Result<Tools> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Tools {
        ffmpeg: find_program(&arguments.ffmpeg)?,
        ffprobe: find_program(&arguments.ffprobe)?,
        confinement: Arc::new(SandboxConfinement::new(prepare_sandbox(arguments)?)),
        threads: threads_per_job(cores, concurrent_jobs),
        encoders: Encoders::default(),
    })
}

/// Fails if an encoder that the operator chose does not work. Every job would fail.
pub(super) fn try_encoders(tools: &Tools, work: &WorkFolder) -> Result<()> {
    let folder = work.create_job_folder().context("disk error")?;
    let (folder, cancel) = (folder.scratch(), CancelFlag::default());
    let context = MediaContext { tools, source: &tools.ffmpeg, folder, cancel: &cancel };
    media::encode::try_hardware(&context).context("choose another encoder with --h264-encoder (H264_ENCODER)")?;
    media::encode::try_second_codec(&context)
        .context("choose another codec with --second-codec (SECOND_CODEC), or none")
}

/// Divides the cores among the jobs.
fn threads_per_job(cores: usize, concurrent_jobs: u32) -> usize {
    (cores / concurrent_jobs.max(1) as usize).clamp(1, MAX_THREADS)
}

fn prepare_sandbox(arguments: &ToolArguments) -> Result<Sandbox> {
    if !arguments.allow_weak_sandbox {
        return Ok(Sandbox::required()?);
    }
    let sandbox = Sandbox::best_effort();
    if let Err(missing) = sandbox.support().check() {
        tracing::warn!("using a weak sandbox, because --allow-weak-sandbox is set: {missing}");
    }
    Ok(sandbox)
}

/// Returns the absolute path of a program, because nothing searches PATH inside the sandbox.
fn find_program(program: &Path) -> Result<PathBuf> {
    let path = if program.components().count() > 1 {
        Some(program.to_owned())
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut candidates = std::env::split_paths(&path).map(|folder| folder.join(program));
        candidates.find(|candidate| candidate.is_file())
    };
    let path = path.with_context(|| format!("{} is not installed", program.display()))?;
    path.canonicalize().with_context(|| format!("the program {} does not exist", path.display()))
}

/// Creates a client for the queue with this id: the job queue or the dead-letter queue.
pub(super) fn queue_client(settings: &QueueSettings, id: &str) -> Result<QueueClient, QueueError> {
    let (base, account) = (settings.api_base.clone(), settings.account_id.clone());
    QueueClient::new(&QueueAddress { base, account, queue: id.to_owned() }, settings.token.clone())
}

pub(super) fn http_client() -> Result<reqwest::Client> {
    http::client_builder(TIMEOUT).build().context("cannot create the HTTP client")
}

/// A client of the edge for commands that use the admin token.
pub(super) struct EdgeAdmin {
    http: reqwest::Client,
    url: String,
    token: SecretString,
}

impl EdgeAdmin {
    pub(super) fn new(arguments: &EdgeArguments) -> Result<Self> {
        let url = configuration::edge_url(arguments).map_err(configuration_error)?;
        let token = secret::from_environment("ADMIN_TOKEN").map_err(|problem| anyhow!(problem))?;
        let Some(token) = token else {
            bail!("the secret ADMIN_TOKEN (or ADMIN_TOKEN_FILE) is not set");
        };
        Ok(Self { http: http_client()?, url, token })
    }

    /// Has the edge make a new job for a content.
    pub(super) async fn request_new_job(&self, content_uuid: &str) -> Result<()> {
        Ok(edge::requeue_job(&self.http, &self.url, &self.token, content_uuid).await?)
    }

    /// Returns all dead letters that the edge has recorded, newest first.
    pub(super) async fn dead_letters(&self) -> Result<Vec<DeadLetter>> {
        let mut letters = Vec::new();
        let mut cursor = None;
        loop {
            let page = edge::dead_letters(&self.http, &self.url, &self.token, cursor.as_deref()).await?;
            letters.extend(page.dead_letters);
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(letters);
            }
        }
    }

    /// Removes a content from the edge's list of dead letters. Returns false if it is not listed.
    pub(super) async fn drop_dead_letter(&self, content_uuid: &str) -> Result<bool> {
        Ok(edge::drop_dead_letter(&self.http, &self.url, &self.token, content_uuid).await?)
    }
}

/// Turns all problems of a configuration into one error.
pub(super) fn configuration_error(ConfigurationProblems(problems): ConfigurationProblems) -> anyhow::Error {
    let list: Vec<_> = problems.iter().map(|problem| format!("\n  - {problem}")).collect();
    anyhow!("the configuration is invalid:{}\nSee `--help` for all options.", list.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_share_the_cores_and_the_number_of_threads_is_limited() {
        assert_eq!((threads_per_job(4, 2), threads_per_job(2, 4), threads_per_job(4, 0)), (2, 1, 4));
        assert_eq!((threads_per_job(64, 1), threads_per_job(64, 4)), (8, 8));
    }
}
