//! Child processes that end together with everything they started.

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The time that a process group has to end after SIGTERM before it is killed.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// Returns a command for `program`. On Linux, the program receives SIGTERM when its parent ends, even if the parent is
/// killed.
pub fn tied_to_parent(program: &Path) -> Command {
    if !cfg!(target_os = "linux") {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "TERM"]).arg(program);
    command
}

/// A running program and all its descendants, as a process group. Dropping it stops the group.
#[derive(Debug)]
pub struct ProcessGroup {
    leader: Child,
    name: &'static str,
    log: PathBuf,
}

impl ProcessGroup {
    /// Starts the command as the leader of a new process group. Its output goes to `log`; `name` is used in errors.
    pub fn start(name: &'static str, mut command: Command, log: PathBuf) -> Result<Self> {
        let output = File::create(&log).with_context(|| format!("creating the log file {}", log.display()))?;
        let errors = output.try_clone()?;
        command.process_group(0).stdin(Stdio::null()).stdout(output).stderr(errors);
        let leader = command.spawn().with_context(|| format!("starting {}", command.get_program().display()))?;
        Ok(Self { leader, name, log })
    }

    /// Returns the name of the program, for messages.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the path of the program's log file.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// Returns the exit status of the leader if it has ended.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.leader.try_wait().ok().flatten()
    }

    /// Sends SIGTERM and returns at once.
    pub fn terminate(&self) {
        self.signal(Signal::SIGTERM);
    }

    /// Kills the group without notice, as a crash would, and waits until the leader is gone.
    pub fn kill(&mut self) {
        self.signal(Signal::SIGKILL);
        // Fails only if the leader cannot be waited for, and then nothing more can be done.
        let _ = self.leader.wait();
    }

    /// Sends SIGTERM, kills what is left after `STOP_GRACE`, and waits until the leader is gone.
    pub fn stop(&mut self) {
        self.terminate();
        let deadline = Instant::now() + STOP_GRACE;
        while self.exit_status().is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.kill();
    }

    fn signal(&self, signal: Signal) {
        if let Ok(leader) = i32::try_from(self.leader.id()) {
            // Fails if the group is gone already.
            let _ = killpg(Pid::from_raw(leader), signal);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.stop();
    }
}
