//! An origin of a stack: the real service, pulling jobs from the stack's own queue.

use crate::network::{free_port, http_client};
use crate::process::{ProcessGroup, tied_to_parent};
use crate::secrets::write_private;
use crate::stack_env::StackEnv;
use crate::{readiness, seed};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// The variables of `stack.env` that are passed to an origin.
const PASSED_VARIABLES: [&str; 11] = [
    "EDGE_URL",
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

/// The options of one origin.
#[derive(Clone, Debug, Default)]
pub struct OriginOptions {
    /// The origin's name, unique within its stack.
    pub name: String,
    /// Variables in addition to the stack's.
    pub vars: Vec<(String, String)>,
}

/// A running origin. Dropping it stops the process.
#[derive(Debug)]
pub struct OriginProcess {
    options: OriginOptions,
    group: ProcessGroup,
    /// The host and port of its metrics and health checks.
    pub address: String,
    pub work_dir: PathBuf,
}

impl OriginProcess {
    /// Starts the origin with a key for its name, which is made at its first start and kept in the state folder.
    pub async fn start(options: &OriginOptions, env: &StackEnv, state: &Path) -> Result<Self> {
        let key = origin_key(&options.name, env, state).await?;
        let vars = [("ORIGIN_KEY".to_owned(), key)].into_iter().chain(options.vars.clone()).collect();
        Self::start_with_key(&OriginOptions { name: options.name.clone(), vars }, env, state)
    }

    fn start_with_key(options: &OriginOptions, env: &StackEnv, state: &Path) -> Result<Self> {
        let address = format!("127.0.0.1:{}", free_port()?);
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
        let group = ProcessGroup::start("origin", command, log)?;
        Ok(Self { options: options.clone(), group, address, work_dir })
    }

    /// Returns a `clipgate-origin` command that is configured for the stack, except for the origin's key. The caller
    /// adds the subcommand.
    pub fn command(env: &StackEnv) -> Result<Command> {
        let mut command = tied_to_parent(&Self::executable()?);
        command.envs(PASSED_VARIABLES.map(|name| (name, env.get(name))));
        Ok(command)
    }

    /// Finds `clipgate-origin` in the folder of this executable or, because cargo puts tests one level deeper, in its
    /// parent.
    pub fn executable() -> Result<PathBuf> {
        let this = std::env::current_exe().context("finding the running executable")?;
        let mut candidates = this.ancestors().skip(1).take(2).map(|folder| folder.join("clipgate-origin"));
        candidates
            .find(|candidate| candidate.is_file())
            .context("clipgate-origin is not built. Run `cargo build --package origin`.")
    }

    /// Starts the origin again with the same options, after it has ended.
    pub fn restart(&mut self, env: &StackEnv, state: &Path) -> Result<()> {
        *self = Self::start_with_key(&self.options, env, state)?;
        Ok(())
    }

    /// Waits until the origin pulls jobs.
    pub async fn wait_until_ready(&mut self) -> Result<()> {
        let request = http_client().get(format!("http://{}/readyz", self.address));
        readiness::wait_until(&mut self.group, async || readiness::succeeds(&request).await).await
    }

    /// Returns the path of the file with the origin's output.
    pub fn log(&self) -> &Path {
        self.group.log()
    }

    pub(crate) fn name(&self) -> &str {
        &self.options.name
    }

    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.group.id()
    }

    /// Returns the exit status if the origin has ended.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.group.exit_status()
    }

    /// Requests an orderly stop with SIGTERM and returns at once.
    pub fn terminate(&self) {
        self.group.terminate();
    }

    /// Kills the origin without notice, as a crash would.
    pub fn kill(&mut self) {
        self.group.kill();
    }
}

impl Drop for OriginProcess {
    /// Also removes the work folder if it contains nothing but the lock file. Other leftovers stay for the next start
    /// to clean up.
    fn drop(&mut self) {
        self.group.stop();
        // Both fail if the origin never started.
        let _ = std::fs::remove_file(self.work_dir.join("lock"));
        let _ = std::fs::remove_dir(&self.work_dir);
    }
}

/// Returns the origin's stored key, or creates one.
async fn origin_key(name: &str, env: &StackEnv, state: &Path) -> Result<String> {
    let path = state.join(format!("{name}.key"));
    if let Ok(key) = std::fs::read_to_string(&path) {
        return Ok(key);
    }
    let key = seed::create_origin_key(env.get("EDGE_URL"), env.get("ADMIN_TOKEN"), name).await?;
    write_private(&path, &key)?;
    Ok(key)
}

/// Returns the work folder of an origin. It is in the system's temporary folder because every user may enter that: if
/// the stack runs as root, ffmpeg runs as an unprivileged user. The path is the same at every start, so that leftovers
/// are found.
fn work_dir(state: &Path, name: &str) -> PathBuf {
    let stack = state.to_string_lossy().replace(['/', '.'], "-");
    std::env::temp_dir().join(format!("clipgate-work{stack}-{name}"))
}
