//! Calls of the pinned wrangler, offline and apart from whatever else runs on the machine.

use crate::configuration::project;
use crate::process::unless_orphaned;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The main Worker, and who consumes its queue.
#[derive(Debug)]
pub struct Program {
    pub configuration: PathBuf,
    pub forwarder: PathBuf,
    pub secrets: PathBuf,
    pub port: u16,
}

/// A wrangler command that keeps all it writes in the state folder.
pub fn command(state: &Path) -> Command {
    let mut command = unless_orphaned(&project().join("node_modules/.bin/node"));
    command
        .arg("--no-warnings")
        .arg(project().join("node_modules/wrangler/wrangler-dist/cli.js"));
    command.current_dir(project());
    command
        .env("CI", "1")
        .env("NO_COLOR", "1")
        .env("WRANGLER_SEND_METRICS", "false");
    command
        .env("WRANGLER_HIDE_BANNER", "true")
        .env("WRANGLER_LOG_PATH", state.join("wrangler-logs"));
    // The registry by which local Workers find each other is the user's, not the stack's, unless it is told so.
    command.env("WRANGLER_REGISTRY_PATH", state.join("registry"));
    command
}

/// Brings the local database to the newest migration.
pub fn migrate(state: &Path, configuration: &Path) -> Result<()> {
    let mut command = command(state);
    command
        .args(["d1", "migrations", "apply", "DB", "--local", "--persist-to"])
        .arg(storage(state));
    command
        .arg("--config")
        .arg(configuration)
        .stdin(Stdio::null());
    let output = command.output()?;
    let printed = [output.stdout, output.stderr].concat();
    ensure!(
        output.status.success(),
        "the migrations failed:\n{}",
        String::from_utf8_lossy(&printed)
    );
    Ok(())
}

/// The running Worker's command.
pub fn dev(state: &Path, program: &Program) -> Command {
    let mut command = command(state);
    command.args([
        "dev",
        "--ip",
        "127.0.0.1",
        "--inspector-port",
        "0",
        "--show-interactive-dev-session=false",
    ]);
    command
        .arg("--port")
        .arg(program.port.to_string())
        .arg("--persist-to")
        .arg(storage(state));
    command
        .arg("--config")
        .arg(&program.configuration)
        .arg("--config")
        .arg(&program.forwarder)
        .arg("--env-file")
        .arg(&program.secrets);
    command
}

fn storage(state: &Path) -> PathBuf {
    state.join("storage")
}
