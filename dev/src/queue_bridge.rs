//! The queue bridge: keeps what the Worker sends to its queue and serves Cloudflare's pull endpoints, because the local
//! runtime has none. Its rules are in `dev/queue-bridge/`.
//!
//! Two parts. The bridge is a workerd of its own, without wrangler: it is up within a tenth of a second. A forwarder beside
//! the main Worker, in its wrangler, hands messages over; wrangler's own way between two of its processes would drop what
//! is sent while the other one is away.

use crate::configuration::{self, project};
use crate::process::{Group, unless_orphaned};
use crate::secrets::{Secrets, write_private};
use crate::wait::{self, Waiting};
use anyhow::{Context, Result};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of the form of Cloudflare's ids, and the same in every stack: only the port and the token tell stacks apart.
const ACCOUNT_ID: &str = "c11b9a7e000000000000000000000001";
const QUEUE_ID: &str = "c11b9a7e000000000000000000000002";
const QUEUE_DEAD_ID: &str = "c11b9a7e000000000000000000000003";
const MAX_RETRIES: u32 = contract::job::MAX_DELIVERIES - 1;

#[derive(Debug)]
pub struct QueueBridge {
    group: Group,
    address: String,
    log: PathBuf,
}

impl QueueBridge {
    /// Starts it; `ready` says when it serves.
    pub fn start(state: &Path, secrets: &Secrets) -> Result<Self> {
        let address = format!("127.0.0.1:{}", crate::free_port()?);
        let log = state.join("queue-bridge.log");
        let storage = state.join("queue-storage");
        std::fs::create_dir_all(&storage)
            .with_context(|| format!("making the folder {}", storage.display()))?;
        let group = Group::start(command(&address, &storage, secrets)?, &log)?;
        Ok(Self {
            group,
            address,
            log,
        })
    }

    /// Returns when it answers.
    pub async fn ready(&mut self, secrets: &Secrets) -> Result<()> {
        let request = crate::http::client()
            .get(format!("http://{}/stats", self.address))
            .bearer_auth(&secrets.queue_token);
        let waiting = Waiting {
            name: "queue bridge",
            log: &self.log,
        };
        wait::until(&mut self.group, waiting, async || {
            wait::succeeds(&request).await
        })
        .await
    }

    /// The exit status, if it has ended.
    pub fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.group.ended()
    }

    /// Writes the configuration of the forwarder that consumes the main Worker's queue, and says where.
    pub fn write_forwarder(&self, state: &Path, secrets: &Secrets, edge: &Path) -> Result<PathBuf> {
        let folder = state.join("queue-forward");
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("making the folder {}", folder.display()))?;
        // Beside its configuration is where wrangler looks for the secrets of a second Worker.
        let token = format!("QUEUE_TOKEN={}\n", secrets.queue_token);
        write_private(&folder.join(".dev.vars"), &token)?;
        let configuration = json!({
            "name": "clipgate-queue-forward",
            "main": project().join("dev/queue-bridge/forward.js"),
            "compatibility_date": "2026-11-01",
            "vars": { "BRIDGE": format!("http://{}/arrivals", self.address) },
            // At once, and as often as it takes.
            "queues": { "consumers": [{
                "queue": configuration::queue(edge)?,
                "max_batch_size": 100, "max_batch_timeout": 0, "max_retries": 100, "retry_delay": 1,
            }]},
        });
        let path = folder.join("wrangler.json");
        write_private(&path, &serde_json::to_string_pretty(&configuration)?)?;
        Ok(path)
    }

    /// What a puller needs.
    pub fn env(&self, secrets: &Secrets) -> [(&'static str, String); 5] {
        let base = format!("http://{}/client/v4", self.address);
        [
            ("QUEUE_API_BASE", base),
            ("QUEUE_ACCOUNT_ID", ACCOUNT_ID.to_owned()),
            ("QUEUE_ID", QUEUE_ID.to_owned()),
            ("QUEUE_DEAD_ID", QUEUE_DEAD_ID.to_owned()),
            ("QUEUE_API_TOKEN", secrets.queue_token.clone()),
        ]
    }
}

fn command(address: &str, storage: &Path, secrets: &Secrets) -> Result<Command> {
    let mut command = unless_orphaned(&workerd()?);
    command
        .arg("serve")
        .arg(project().join("dev/queue-bridge/bridge.capnp"))
        .arg(format!("--socket-addr=http={address}"))
        .arg(format!("--directory-path=storage={}", storage.display()));
    command
        .env("ACCOUNT_ID", ACCOUNT_ID)
        .env("QUEUE_ID", QUEUE_ID)
        .env("QUEUE_DEAD_ID", QUEUE_DEAD_ID)
        .env("MAX_RETRIES", MAX_RETRIES.to_string())
        .env("QUEUE_TOKEN", &secrets.queue_token);
    Ok(command)
}

/// The runtime itself, which wrangler brings along in a package for each platform.
fn workerd() -> Result<PathBuf> {
    let packages = project().join("node_modules/@cloudflare");
    let installed = std::fs::read_dir(&packages)
        .with_context(|| format!("reading {}", packages.display()))?
        .filter_map(|package| Some(package.ok()?.path()));
    let mut programs = installed
        .filter(|package| file_name(package).starts_with("workerd-"))
        .map(|package| package.join("bin/workerd"));
    programs
        .find(|program| program.exists())
        .with_context(|| format!("{} has no workerd", packages.display()))
}

fn file_name(path: &Path) -> &str {
    path.file_name()
        .and_then(std::ffi::OsStr::to_str)
        .unwrap_or_default()
}
