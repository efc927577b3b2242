//! The queue bridge keeps the messages that the Worker sends to its queue and serves Cloudflare's pull API for them,
//! which the local runtime does not have. Its rules are in `ops/dev/queue-bridge/`.
//!
//! It has two parts. The bridge itself runs in a separate workerd, without wrangler, and starts within a tenth of a
//! second. A forwarder runs in the main Worker's wrangler and hands the messages over. wrangler could also pass
//! messages between two of its processes, but drops them while the other process is down.

use crate::network::{free_port, http_client};
use crate::process::{ProcessGroup, tied_to_parent};
use crate::secrets::{Secrets, write_private};
use crate::{project, readiness, worker_config};
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// These have the format of Cloudflare's ids and are the same in every stack: stacks differ by port and token only.
const ACCOUNT_ID: &str = "c11b9a7e000000000000000000000001";
const QUEUE_ID: &str = "c11b9a7e000000000000000000000002";
const QUEUE_DEAD_ID: &str = "c11b9a7e000000000000000000000003";
/// The queue of the completion jobs, in stacks in which they have one of their own.
pub const QUEUE_COMPLETIONS_ID: &str = "c11b9a7e000000000000000000000004";
const MAX_RETRIES: u32 = contract::job::MAX_DELIVERY_ATTEMPTS - 1;

/// A running queue bridge. Dropping it stops the process.
#[derive(Debug)]
pub(crate) struct QueueBridge {
    group: ProcessGroup,
    address: String,
}

impl QueueBridge {
    /// Starts the bridge without waiting until it is ready.
    pub(crate) fn start(state: &Path, secrets: &Secrets) -> Result<Self> {
        Self::start_at(format!("127.0.0.1:{}", free_port()?), state, secrets)
    }

    /// Starts the bridge again, at the same address and with the same messages.
    pub(crate) fn restart(&mut self, state: &Path, secrets: &Secrets) -> Result<()> {
        *self = Self::start_at(self.address.clone(), state, secrets)?;
        Ok(())
    }

    fn start_at(address: String, state: &Path, secrets: &Secrets) -> Result<Self> {
        let storage = create_folder(state.join("queue-storage"))?;
        let command = command(&address, &storage, secrets)?;
        let group = ProcessGroup::start("queue bridge", command, state.join("queue-bridge.log"))?;
        Ok(Self { group, address })
    }

    /// Waits until the bridge answers.
    pub(crate) async fn wait_until_ready(&mut self, secrets: &Secrets) -> Result<()> {
        let request = http_client().get(format!("http://{}/stats", self.address)).bearer_auth(&secrets.queue_token);
        readiness::wait_until(&mut self.group, async || readiness::succeeds(&request).await).await
    }

    /// Returns the exit status if the bridge has ended.
    pub(crate) fn exit_status(&mut self) -> Option<ExitStatus> {
        self.group.exit_status()
    }

    /// Writes the configuration of the forwarder that consumes the main Worker's queues, and returns its path.
    pub(crate) fn write_forwarder(&self, state: &Path, secrets: &Secrets, worker: &Path) -> Result<PathBuf> {
        let folder = create_folder(state.join("queue-forward"))?;
        // wrangler looks for the secrets of a second Worker beside its configuration.
        let token = format!("QUEUE_TOKEN={}\n", secrets.queue_token);
        write_private(&folder.join(".dev.vars"), &token)?;
        let names = worker_config::queue_names(worker)?;
        let ids: Map<_, _> = names.iter().cloned().zip([QUEUE_ID, QUEUE_COMPLETIONS_ID].map(Value::from)).collect();
        // Forward without delay, and retry for as long as wrangler allows.
        let consumer = |queue: &String| {
            json!({
                "queue": queue, "max_batch_size": 100, "max_batch_timeout": 0, "max_retries": 100, "retry_delay": 1,
            })
        };
        let config = json!({
            "name": "clipgate-queue-forward",
            "main": project::root().join("ops/dev/queue-bridge/forward.js"),
            "compatibility_date": "2026-11-01",
            "no_bundle": true,
            "vars": { "BRIDGE": format!("http://{}/arrivals", self.address), "QUEUE_IDS": ids },
            "queues": { "consumers": names.iter().map(consumer).collect::<Vec<_>>() },
        });
        let path = folder.join("wrangler.json");
        write_private(&path, &serde_json::to_string_pretty(&config)?)?;
        Ok(path)
    }

    /// Returns the variables that a client of the pull API needs.
    pub(crate) fn env(&self, secrets: &Secrets) -> [(&'static str, String); 6] {
        let base = format!("http://{}/client/v4", self.address);
        [
            ("QUEUE_API_BASE", base),
            ("QUEUE_ACCOUNT_ID", ACCOUNT_ID.to_owned()),
            ("QUEUE_ID", QUEUE_ID.to_owned()),
            ("QUEUE_DEAD_ID", QUEUE_DEAD_ID.to_owned()),
            ("QUEUE_COMPLETIONS_ID", QUEUE_COMPLETIONS_ID.to_owned()),
            ("QUEUE_API_TOKEN", secrets.queue_token.clone()),
        ]
    }
}

fn create_folder(folder: PathBuf) -> Result<PathBuf> {
    std::fs::create_dir_all(&folder).with_context(|| format!("creating the folder {}", folder.display()))?;
    Ok(folder)
}

fn command(address: &str, storage: &Path, secrets: &Secrets) -> Result<Command> {
    let mut command = tied_to_parent(&workerd()?);
    command
        .arg("serve")
        .arg(project::root().join("ops/dev/queue-bridge/bridge.capnp"))
        .arg(format!("--socket-addr=http={address}"))
        .arg(format!("--directory-path=storage={}", storage.display()));
    command
        .env("ACCOUNT_ID", ACCOUNT_ID)
        .env("QUEUE_ID", QUEUE_ID)
        .env("QUEUE_DEAD_ID", QUEUE_DEAD_ID)
        .env("QUEUE_COMPLETIONS_ID", QUEUE_COMPLETIONS_ID)
        .env("MAX_RETRIES", MAX_RETRIES.to_string())
        .env("QUEUE_TOKEN", &secrets.queue_token);
    Ok(command)
}

/// Finds the workerd executable. wrangler depends on one npm package per platform that contains it.
fn workerd() -> Result<PathBuf> {
    let packages = project::root().join("node_modules/@cloudflare");
    let installed = std::fs::read_dir(&packages)
        .with_context(|| format!("reading {}", packages.display()))?
        .filter_map(|package| Some(package.ok()?.path()));
    let mut executables = installed
        .filter(|package| file_name(package).starts_with("workerd-"))
        .map(|package| package.join("bin/workerd"));
    executables.find(|path| path.exists()).with_context(|| format!("{} contains no workerd", packages.display()))
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default()
}
