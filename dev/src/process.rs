//! A child process that is ended with everything it started.

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// On Linux, the program ends with the process that started it, even if that is killed.
pub fn unless_orphaned(program: &Path) -> Command {
    if !cfg!(target_os = "linux") {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "TERM"]).arg(program);
    command
}

#[derive(Debug)]
pub struct Group(Child);

impl Group {
    /// Starts the command as the head of a process group of its own, its output in a file.
    pub fn start(mut command: Command, log: &Path) -> Result<Self> {
        let output = File::create(log).with_context(|| format!("writing {}", log.display()))?;
        let errors = output.try_clone()?;
        command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors);
        let started = command
            .spawn()
            .with_context(|| format!("starting {}", command.get_program().display()))?;
        Ok(Self(started))
    }

    /// The exit status, if it has ended.
    pub fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.0.try_wait().ok().flatten()
    }

    /// Asks the group to end, insists after a while, and waits until its head is gone.
    pub fn stop(&mut self) {
        self.signal(Signal::SIGTERM);
        let deadline = Instant::now() + Duration::from_secs(5);
        while self.ended().is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.signal(Signal::SIGKILL);
        // Nothing is left to do for a process that cannot be waited for.
        let _ = self.0.wait();
    }

    /// Asks the group to end.
    pub fn terminate(&self) {
        self.signal(Signal::SIGTERM);
    }

    /// Ends it as a crash would, and waits until its head is gone.
    pub fn kill(&mut self) {
        self.signal(Signal::SIGKILL);
        let _ = self.0.wait();
    }

    fn signal(&self, signal: Signal) {
        if let Ok(head) = i32::try_from(self.0.id()) {
            // The group may be gone already.
            let _ = killpg(Pid::from_raw(head), signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.stop();
    }
}
