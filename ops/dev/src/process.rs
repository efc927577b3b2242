//! Child processes that end together with everything they started.

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// The time that a process group has to end after SIGTERM before it is killed.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// A command to start, and the channel that receives its process.
type Start = (Command, Sender<io::Result<Child>>);

/// Sends commands to a thread that runs until this process ends. All process groups are started there: Linux ends a
/// program of `tied_to_parent` together with the *thread* that started it, and the thread of a test ends with the test.
static STARTER: LazyLock<Sender<Start>> = LazyLock::new(|| {
    let (starter, starts) = mpsc::channel::<Start>();
    thread::spawn(move || {
        for (mut command, result) in starts {
            // Fails only if the caller no longer waits for the result.
            let _ = result.send(command.spawn());
        }
    });
    starter
});

/// Returns a command for `program`. On Linux, the program receives SIGTERM when its parent ends, even if the parent is
/// killed. The parent is the thread that starts the command; `ProcessGroup::start` uses a permanent thread.
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
    /// Starts the command as the leader of a new process group. Its output goes to `log`; `name` is used in errors. The
    /// previous run's output is kept beside it.
    pub fn start(name: &'static str, mut command: Command, log: PathBuf) -> Result<Self> {
        // Fails at the first start.
        let _ = std::fs::rename(&log, log.with_extension("previous.log"));
        let output = File::create(&log).with_context(|| format!("creating the log file {}", log.display()))?;
        let errors = output.try_clone()?;
        command.process_group(0).stdin(Stdio::null()).stdout(output).stderr(errors);
        let program = command.get_program().to_owned();
        let (sender, receiver) = mpsc::channel();
        STARTER.send((command, sender))?;
        let leader = receiver.recv()?.with_context(|| format!("starting {}", program.display()))?;
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

    /// Returns the id of the leader.
    pub fn id(&self) -> u32 {
        self.leader.id()
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
            thread::sleep(Duration::from_millis(20));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_outlasts_the_thread_that_started_it() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let start = move || {
            let mut command = tied_to_parent(Path::new("sleep"));
            command.arg("60");
            ProcessGroup::start("sleep", command, log).unwrap()
        };
        let mut group = thread::spawn(start).join().unwrap();
        // The signal would come as soon as the thread ends.
        thread::sleep(Duration::from_millis(200));
        assert_eq!(group.exit_status(), None);
    }
}
