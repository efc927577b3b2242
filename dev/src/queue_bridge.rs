//! The queue bridge: a second Worker that keeps what the first one sends to its queue and serves Cloudflare's pull
//! endpoints, because the local runtime has none. Its rules are in `dev/queue-bridge/`.

use crate::configuration::{self, project};
use crate::process::Group;
use crate::secrets::{Secrets, write_private};
use crate::wait::{self, Waiting};
use crate::wrangler::{self, Program};
use anyhow::Result;
use serde_json::json;
use std::path::{Path, PathBuf};

const NAME: &str = "clipgate-queue-bridge";
/// Of the form of Cloudflare's ids, and the same in every stack: only the port and the token tell stacks apart.
const ACCOUNT_ID: &str = "c11b9a7e000000000000000000000001";
const QUEUE_ID: &str = "c11b9a7e000000000000000000000002";
const QUEUE_DEAD_ID: &str = "c11b9a7e000000000000000000000003";
/// Cloudflare's default: a message is delivered four times before it is a dead letter.
const MAX_RETRIES: u32 = 3;

#[derive(Debug)]
pub struct QueueBridge {
    group: Group,
    port: u16,
    state: PathBuf,
}

impl QueueBridge {
    /// Starts it; `ready` says when it can be sent to. `edge` is the configuration of the Worker that sends.
    pub fn start(state: &Path, secrets: &Secrets, edge: &Path) -> Result<Self> {
        forget_registered(state);
        let port = crate::free_port()?;
        let secrets_file = state.join("queue-secrets.env");
        write_private(
            &secrets_file,
            &format!("QUEUE_TOKEN={}\n", secrets.queue_token),
        )?;
        let program = Program {
            configuration: write_configuration(state, &configuration::queue(edge)?)?,
            secrets: secrets_file,
            port,
            storage: state.join("queue-storage"),
        };
        let group = Group::start(wrangler::dev(state, &program), &log(state))?;
        Ok(Self {
            group,
            port,
            state: state.to_owned(),
        })
    }

    /// Returns when it answers, and when the Worker that sends can find it: what is sent before that is lost.
    pub async fn ready(&mut self, secrets: &Secrets) -> Result<()> {
        let request = crate::http::client()
            .get(format!("http://127.0.0.1:{}/stats", self.port))
            .bearer_auth(&secrets.queue_token);
        let registered = self.state.join("registry").join(NAME);
        let waiting = Waiting {
            name: "queue bridge",
            log: &log(&self.state),
        };
        wait::until(&mut self.group, waiting, async || {
            wait::succeeds(&request).await && registered.exists()
        })
        .await
    }

    /// The exit status, if it has ended.
    pub fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.group.ended()
    }

    /// What a puller needs.
    pub fn env(&self, secrets: &Secrets) -> [(&'static str, String); 5] {
        [
            (
                "QUEUE_API_BASE",
                format!("http://127.0.0.1:{}/client/v4", self.port),
            ),
            ("QUEUE_ACCOUNT_ID", ACCOUNT_ID.to_owned()),
            ("QUEUE_ID", QUEUE_ID.to_owned()),
            ("QUEUE_DEAD_ID", QUEUE_DEAD_ID.to_owned()),
            ("QUEUE_API_TOKEN", secrets.queue_token.clone()),
        ]
    }
}

fn log(state: &Path) -> PathBuf {
    state.join("queue-bridge.log")
}

/// A bridge that was killed is still registered for a while, and its successor would wait for that to end.
fn forget_registered(state: &Path) {
    // Most often there is none.
    let _ = std::fs::remove_file(state.join("registry").join(NAME));
}

fn write_configuration(state: &Path, queue: &str) -> Result<PathBuf> {
    let configuration = json!({
        "name": NAME,
        "main": project().join("dev/queue-bridge/worker.js"),
        "compatibility_date": "2026-11-01",
        "durable_objects": { "bindings": [{ "name": "QUEUES", "class_name": "Queues" }] },
        "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Queues"] }],
        "vars": {
            "ACCOUNT_ID": ACCOUNT_ID,
            "QUEUE_ID": QUEUE_ID,
            "QUEUE_DEAD_ID": QUEUE_DEAD_ID,
            "MAX_RETRIES": MAX_RETRIES.to_string(),
        },
        // As soon as there is one message; again until the bridge has it.
        "queues": { "consumers": [
            { "queue": queue, "max_batch_size": 100, "max_batch_timeout": 0, "max_retries": 100 },
        ]},
    });
    let path = state.join("queue-bridge.json");
    write_private(&path, &serde_json::to_string_pretty(&configuration)?)?;
    Ok(path)
}
