//! The origin of a stack: the real service, pulling from the stack's own queue.

use crate::process::{Group, unless_orphaned};
use crate::stack_env::StackEnv;
use crate::wait::{self, Waiting};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What of `stack.env` an origin is told.
const TOLD: [&str; 12] = [
    "EDGE_URL",
    "ORIGIN_SECRET",
    "S3_ENDPOINT",
    "S3_BUCKET",
    "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
    "QUEUE_API_BASE",
    "QUEUE_ACCOUNT_ID",
    "QUEUE_ID",
    "QUEUE_DEAD_ID",
    "QUEUE_API_TOKEN",
    "ADMIN_TOKEN",
];

/// Which origin to start, and how.
#[derive(Clone, Debug, Default)]
pub struct OriginOptions {
    /// Two origins of a stack must have two names.
    pub name: String,
    /// Further variables.
    pub vars: Vec<(String, String)>,
}

/// A running origin.
#[derive(Debug)]
pub struct Origin {
    options: OriginOptions,
    group: Group,
    log: PathBuf,
    pub address: String,
    pub work_dir: PathBuf,
}

impl Origin {
    pub fn start(options: &OriginOptions, env: &StackEnv, state: &Path) -> Result<Self> {
        let address = format!("127.0.0.1:{}", crate::free_port()?);
        let work_dir = work_dir(state, &options.name);
        let log = state.join(format!("{}.log", options.name));
        let mut command = Self::command(env)?;
        command
            .arg("run")
            .env("ORIGIN_NAME", &options.name)
            .env("WORK_DIR", &work_dir)
            .env("LISTEN", &address)
            .env("POLL_MS", "300")
            .env("SHUTDOWN_SECONDS", "3")
            .envs(options.vars.iter().map(|(name, value)| (name, value)));
        Ok(Self {
            options: options.clone(),
            group: Group::start(command, &log)?,
            log,
            address,
            work_dir,
        })
    }

    /// The program, told where the stack is; what it is to do comes behind.
    pub fn command(env: &StackEnv) -> Result<Command> {
        let mut command = unless_orphaned(&program()?);
        command.envs(TOLD.map(|name| (name, env.get(name))));
        Ok(command)
    }

    /// Starts it again as it was, once it has ended.
    pub fn restart(&mut self, env: &StackEnv, state: &Path) -> Result<()> {
        *self = Self::start(&self.options, env, state)?;
        Ok(())
    }

    /// Returns when it pulls jobs.
    pub async fn ready(&mut self) -> Result<()> {
        let request = crate::http_client().get(format!("http://{}/readyz", self.address));
        let waiting = Waiting {
            name: "origin",
            log: &self.log,
        };
        wait::until(&mut self.group, waiting, async || {
            wait::succeeds(&request).await
        })
        .await
    }

    pub fn log(&self) -> &Path {
        &self.log
    }

    /// The exit status, if it has ended.
    pub fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.group.ended()
    }

    /// Asks it to end, as an orderly stop does.
    pub fn terminate(&self) {
        self.group.terminate();
    }

    /// Ends it as a crash would: at once, with no word to anybody.
    pub fn kill(&mut self) {
        self.group.kill();
    }
}

impl Drop for Origin {
    /// A work folder with nothing in it but the lock goes too; one with leftovers is for the next start.
    fn drop(&mut self) {
        self.group.stop();
        // There may be none, if it was never up.
        let _ = std::fs::remove_file(self.work_dir.join("lock"));
        let _ = std::fs::remove_dir(&self.work_dir);
    }
}

/// Below the system's folder for temporary files, because everybody may pass through there: where the stack is root,
/// ffmpeg runs as a user without rights. The name is the same at each start, so leftovers are found.
fn work_dir(state: &Path, name: &str) -> PathBuf {
    let stack = state.to_string_lossy().replace(['/', '.'], "-");
    std::env::temp_dir().join(format!("clipgate-work{stack}-{name}"))
}

/// The program beside this one, or above it where this is a test.
fn program() -> Result<PathBuf> {
    let this = std::env::current_exe().context("finding this program")?;
    let mut places = this.ancestors().skip(1).take(2);
    let found = places.find_map(|folder| {
        let program = folder.join("clipgate-origin");
        program.is_file().then_some(program)
    });
    found.context("clipgate-origin is not built: `cargo build --package origin`")
}
