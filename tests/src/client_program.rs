//! The program `clipgate` with its own home folder.

use crate::channel::Channel;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use tempfile::TempDir;
use tokio::process::Command;

/// A user's machine.
#[derive(Debug)]
pub struct ClientProgram {
    program: PathBuf,
    home: TempDir,
    url: String,
    key: String,
}

/// The output and exit code of one run.
#[derive(Debug)]
pub struct ClientRun {
    pub code: i32,
    pub printed: String,
    pub errors: String,
}

impl ClientProgram {
    /// A machine that calls the stack with the key of the channel.
    pub fn new(channel: &Channel) -> Result<Self> {
        Self::at(&channel.stack.url(""), &channel.key)
    }

    /// A machine that calls this address.
    pub fn at(url: &str, key: &str) -> Result<Self> {
        let this = std::env::current_exe().context("finding the running executable")?;
        let mut candidates = this.ancestors().skip(1).take(2).map(|folder| folder.join("clipgate"));
        let program = candidates.find(|candidate| candidate.exists());
        let program = program.context("clipgate is not built. Run `make test-programs`.")?;
        Ok(Self { program, home: tempfile::tempdir()?, url: url.to_owned(), key: key.to_owned() })
    }

    /// Writes a file below the home folder, and returns its path.
    pub fn write(&self, name: impl AsRef<Path>, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.home.path().join(name);
        std::fs::create_dir_all(path.parent().context("the path has no folder")?)?;
        std::fs::write(&path, bytes)?;
        Ok(path)
    }

    /// The folder of the program, for a shell's `PATH`.
    pub fn folder(&self) -> Result<&Path> {
        self.program.parent().context("the program has no folder")
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Deletes the program's records of uploads, as on a new machine.
    pub fn forget_uploads(&self) -> Result<()> {
        Ok(std::fs::remove_dir_all(self.home.path().join("state"))?)
    }

    /// Returns a command that is killed if it is dropped.
    pub fn command<Argument: AsRef<OsStr>>(&self, arguments: &[Argument]) -> Command {
        let mut command = Command::new(&self.program);
        let folder = |name: &str| self.home.path().join(name);
        command.args(arguments).env_clear().env("HOME", self.home.path()).current_dir(self.home.path());
        command.env("XDG_CONFIG_HOME", folder("config")).env("XDG_STATE_HOME", folder("state"));
        command.env("CLIPGATE_URL", &self.url).env("CLIPGATE_API_KEY", &self.key);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    /// Runs the program to its end.
    pub async fn run<Argument: AsRef<OsStr>>(&self, arguments: &[Argument]) -> Result<ClientRun> {
        Ok(ClientRun::of(&self.command(arguments).output().await?))
    }

    /// Runs the program and fails unless it succeeds. Returns the objects that it printed.
    pub async fn run_json(&self, arguments: &[&str]) -> Result<Vec<Value>> {
        let run = self.run(&[arguments, &["--json"]].concat()).await?;
        ensure!(run.code == 0, "{arguments:?}: {run:?}");
        run.json()
    }
}

impl ClientRun {
    pub fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code().unwrap_or(-1), printed: text(&output.stdout), errors: text(&output.stderr) }
    }

    /// Returns the objects that were printed, one a line.
    pub fn json(&self) -> Result<Vec<Value>> {
        let parse = |line: &str| serde_json::from_str(line).with_context(|| format!("{self:?}"));
        self.printed.lines().map(parse).collect()
    }

    /// Returns the first object of this event.
    pub fn event(&self, event: &str) -> Result<Value> {
        let found = self.json()?.into_iter().find(|object| object["event"] == event);
        found.with_context(|| format!("no {event}: {self:?}"))
    }
}
