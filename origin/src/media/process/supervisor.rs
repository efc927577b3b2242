//! Supervises one process: a watchdog thread kills it when the work is cancelled or takes too long, and dropping the
//! [`SupervisedProcess`] kills it in any case.

use crate::media::{Access, CancelFlag, MediaContext, MediaError};
use sandbox::KillGuard;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The interval at which the watchdog checks the cancel flag and the deadline.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Confines a command before it is spawned.
pub(super) fn confine(
    context: &MediaContext<'_>,
    command: &mut Command,
    access: &Access<'_>,
) -> Result<Option<KillGuard>, MediaError> {
    let guard = context.tools.confinement.confine(command, access);
    guard.map_err(|error| MediaError::io("confining a process", &error))
}

/// Returns the error for a child whose output was not piped.
pub(super) fn missing_pipe(program: &str) -> MediaError {
    MediaError::Transient(format!("{program} was started without a pipe"))
}

/// A started process. Dropping this value ends it.
pub(super) struct SupervisedProcess {
    process: Arc<Mutex<GuardedChild>>,
    watchdog: Option<JoinHandle<Option<KillReason>>>,
    /// Dropped to stop the watchdog.
    watchdog_stop: Option<Sender<()>>,
}

/// The reason for which the watchdog killed a process.
#[derive(Clone, Copy)]
enum KillReason {
    Cancelled,
    TimeLimit,
}

struct GuardedChild {
    child: Child,
    /// Dropping it kills the program and its descendants.
    guard: Option<KillGuard>,
}

impl SupervisedProcess {
    pub(super) fn new(
        context: &MediaContext<'_>,
        child: Child,
        guard: Option<KillGuard>,
        time_limit: Duration,
    ) -> Self {
        let process = Arc::new(Mutex::new(GuardedChild { child, guard }));
        let (watchdog_stop, stop) = channel();
        let watchdog = Watchdog {
            process: Arc::clone(&process),
            cancel: context.cancel.clone(),
            deadline: Instant::now() + time_limit,
            stop,
        };
        Self {
            process,
            watchdog: Some(std::thread::spawn(move || watchdog.watch())),
            watchdog_stop: Some(watchdog_stop),
        }
    }

    /// Waits for the exit. The watchdog keeps running, because a process may close its output and carry on.
    pub(super) fn finish(mut self) -> Result<ExitStatus, MediaError> {
        let status = loop {
            let exit = lock(&self.process).child.try_wait();
            if let Some(status) = exit.map_err(|error| MediaError::io("waiting for a process", &error))? {
                break status;
            }
            std::thread::sleep(POLL_INTERVAL / 10);
        };
        match self.stop_watchdog() {
            Some(KillReason::Cancelled) => Err(MediaError::Transient("the work was cancelled".to_owned())),
            Some(KillReason::TimeLimit) => Err(MediaError::Undecided("the work exceeded its time limit".to_owned())),
            None => Ok(status),
        }
    }

    /// Returns why the watchdog killed the process, if it did.
    fn stop_watchdog(&mut self) -> Option<KillReason> {
        drop(self.watchdog_stop.take());
        self.watchdog.take()?.join().ok().flatten()
    }
}

impl Drop for SupervisedProcess {
    fn drop(&mut self) {
        self.stop_watchdog();
        lock(&self.process).kill();
    }
}

struct Watchdog {
    process: Arc<Mutex<GuardedChild>>,
    cancel: CancelFlag,
    deadline: Instant,
    stop: Receiver<()>,
}

impl Watchdog {
    /// Runs until it is stopped, or until it has to kill the process; then it returns the reason.
    fn watch(self) -> Option<KillReason> {
        while self.stop.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
            if let Some(reason) = self.kill_reason() {
                lock(&self.process).kill();
                return Some(reason);
            }
        }
        None
    }

    fn kill_reason(&self) -> Option<KillReason> {
        if self.cancel.is_cancelled() {
            return Some(KillReason::Cancelled);
        }
        (Instant::now() >= self.deadline).then_some(KillReason::TimeLimit)
    }
}

impl GuardedChild {
    /// Kills the process if it is still running, and reaps it.
    fn kill(&mut self) {
        drop(self.guard.take());
        let child = &mut self.child;
        if matches!(child.try_wait(), Ok(None)) {
            // It may have exited by itself in the meantime. Then there is nothing to kill, but it must still be reaped.
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// Locks even a poisoned mutex: it still holds the process, which must not stay behind.
fn lock(process: &Mutex<GuardedChild>) -> MutexGuard<'_, GuardedChild> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}
