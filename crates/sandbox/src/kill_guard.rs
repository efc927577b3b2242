//! Ties the life of a confined program to a value in the service.
//!
//! A guard is one end of a socket pair. The program's supervisor watches the other end. The kernel closes the guard's
//! end however the service ends, even by SIGKILL. The kernel's parent-death signal would not work here: it fires when
//! the parent *thread* ends, and the threads of an async runtime come and go.

use std::io::Read;
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::fd::RawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The longest wait for a killed process. It can be stuck in the kernel, for example on a broken disk, and must not
/// block the service.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Kills a confined program when dropped, with everything that it started, and waits until all of it is gone.
#[derive(Debug)]
#[must_use = "dropping the guard kills the program"]
pub struct KillGuard {
    service_end: UnixStream,
    supervisor_end: SupervisorEnd,
}

/// The supervisor's end of the socket pair.
///
/// The command holds it, so that it is open at the fork. The guard can close it, so that afterwards only the supervisor
/// holds it.
#[derive(Debug, Clone)]
pub(crate) struct SupervisorEnd(Arc<Mutex<Option<UnixStream>>>);

impl SupervisorEnd {
    /// Returns the descriptor, or `None` once the guard was dropped. Never waits for the lock, because it is called
    /// between fork and exec.
    pub(crate) fn descriptor(&self) -> Option<RawFd> {
        self.0.try_lock().ok()?.as_ref().map(AsRawFd::as_raw_fd)
    }

    fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl KillGuard {
    pub(crate) fn new() -> std::io::Result<(Self, SupervisorEnd)> {
        let (service_end, supervisor_end) = UnixStream::pair()?;
        service_end.set_read_timeout(Some(MAX_WAIT))?;
        let supervisor_end = SupervisorEnd(Arc::new(Mutex::new(Some(supervisor_end))));
        Ok((Self { service_end, supervisor_end: supervisor_end.clone() }, supervisor_end))
    }

    /// Kills the program and waits until it is gone, exactly as dropping the guard does.
    pub fn kill(self) {
        drop(self);
    }
}

impl Drop for KillGuard {
    fn drop(&mut self) {
        self.supervisor_end.close();
        // Errors are ignored: they mean that the supervisor has already ended, or that it did not end within MAX_WAIT.
        let _ = self.service_end.shutdown(Shutdown::Write);
        let _ = self.service_end.read(&mut [0]);
    }
}
