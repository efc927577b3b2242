//! Runs the pinned wrangler, offline and isolated from any other wrangler on the machine.

use crate::process::tied_to_parent;
use crate::project;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files and the port that `wrangler dev` needs.
#[derive(Debug)]
pub(crate) struct DevServer {
    /// The configuration of the Worker.
    pub(crate) worker: PathBuf,
    /// The configuration of the forwarder, which consumes the Worker's queue.
    pub(crate) forwarder: PathBuf,
    /// The file with the Worker's secrets.
    pub(crate) secrets: PathBuf,
    pub(crate) port: u16,
}

impl DevServer {
    /// The URL of the Worker itself. If there is a cache, only wrangler's services are used there.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// Returns a wrangler command that writes only to the state folder.
fn command(state: &Path) -> Command {
    let root = project::root();
    let mut command = tied_to_parent(&root.join("node_modules/.bin/node"));
    command.arg("--no-warnings").arg(root.join("node_modules/wrangler/wrangler-dist/cli.js"));
    command.current_dir(root);
    command.env("CI", "1").env("NO_COLOR", "1").env("WRANGLER_SEND_METRICS", "false");
    command.env("WRANGLER_HIDE_BANNER", "true").env("WRANGLER_LOG_PATH", state.join("wrangler-logs"));
    // Its log of all inspector messages grows by 1.6 kB per request and is never truncated.
    command.env("WRANGLER_WRITE_LOGS", "false");
    // Local Workers find each other through this registry. By default all of the user's Workers share one.
    command.env("WRANGLER_REGISTRY_PATH", state.join("registry"));
    command
}

/// Applies all pending migrations to the local database.
pub(crate) fn migrate(state: &Path, worker: &Path) -> Result<()> {
    let mut command = command(state);
    command.args(["d1", "migrations", "apply", "DB", "--local", "--persist-to"]).arg(storage(state));
    command.arg("--config").arg(worker).stdin(Stdio::null());
    let output = command.output()?;
    let text = [output.stdout, output.stderr].concat();
    ensure!(output.status.success(), "applying the database migrations failed:\n{}", String::from_utf8_lossy(&text));
    Ok(())
}

/// Returns the command that serves the Worker.
pub(crate) fn dev(state: &Path, server: &DevServer) -> Command {
    let mut command = command(state);
    command.args(["dev", "--ip", "127.0.0.1", "--inspector-port", "0", "--show-interactive-dev-session=false"]);
    command.arg("--port").arg(server.port.to_string()).arg("--persist-to").arg(storage(state));
    command.arg("--config").arg(&server.worker).arg("--config").arg(&server.forwarder);
    command.arg("--env-file").arg(&server.secrets);
    command
}

/// Returns the folder of the local databases and objects.
pub(crate) fn storage(state: &Path) -> PathBuf {
    state.join("storage")
}
