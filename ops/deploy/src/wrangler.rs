//! Runs the pinned wrangler, which uploads the Worker and imports migrations.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug)]
pub(crate) struct Wrangler {
    project: PathBuf,
    config: PathBuf,
}

impl Wrangler {
    pub(crate) fn new(project: &Path, config: &Path) -> Self {
        Self { project: project.to_owned(), config: config.to_owned() }
    }

    /// Applies the pending migrations.
    pub(crate) fn migrate(&self) -> Result<()> {
        let mut command = self.command(&self.project.join("edge/migrate"));
        command.args(["--remote", "--config"]).arg(&self.config).stdin(Stdio::null());
        run(command, "")
    }

    /// Deploys the Worker. The secrets go through standard input, because other users can read arguments and files.
    pub(crate) fn deploy(&self, secrets: &BTreeMap<String, String>) -> Result<()> {
        let node = self.project.join("node_modules/.bin/node");
        let mut command = self.command(&node);
        command.arg("--no-warnings").arg(self.project.join("node_modules/wrangler/wrangler-dist/cli.js"));
        command.args(["deploy", "--config"]).arg(&self.config);
        if secrets.is_empty() {
            command.stdin(Stdio::null());
            return run(command, "");
        }
        command.args(["--secrets-file", "/dev/stdin"]).stdin(Stdio::piped());
        run(command, &serde_json::to_string(secrets)?)
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        // Never ask, never report usage, and leave logs out of the home folder.
        command.current_dir(&self.project).env("CI", "1").env("NO_COLOR", "1").env("WRANGLER_SEND_METRICS", "false");
        command.env("WRANGLER_HIDE_BANNER", "true").env("WRANGLER_LOG_PATH", self.project.join("build/deploy/logs"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Runs the command with this standard input, and shows its output only if it fails.
fn run(mut command: Command, input: &str) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child =
        command.spawn().with_context(|| format!("starting {program}; `ops/dev/setup worker` installs it"))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    let text = [output.stdout, output.stderr].concat();
    ensure!(output.status.success(), "wrangler failed:\n{}", String::from_utf8_lossy(&text).trim());
    Ok(())
}
