//! What holds a confined program: it dies when this is dropped, or when the process that holds it ends.
//!
//! A leash is one end of a socket pair whose other end the program's supervisor watches. The kernel closes this end
//! however the holder ends, SIGKILL included. The kernel's own "die with the parent" would not do here: it means the parent's
//! *thread*, and the threads of an async runtime come and go.

use std::io::Read;
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::fd::RawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A killed process that still hangs in the kernel (a dead disk) must not hang the service too.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Holds a confined program. Dropping it kills the program, with all that it started, and waits until they are gone.
#[derive(Debug)]
#[must_use = "the program is killed when its leash is dropped"]
pub struct Leash {
    ours: UnixStream,
    theirs: SupervisorEnd,
}

/// The end for the supervisor. The command keeps it, so that it is there at the fork, and the leash can take it away,
/// so that the supervisor is then the only one who holds it.
#[derive(Debug, Clone)]
pub(crate) struct SupervisorEnd(Arc<Mutex<Option<UnixStream>>>);

impl SupervisorEnd {
    /// The descriptor, or none once the leash was dropped. Takes no lock that it would have to wait for: it is called
    /// between fork and exec.
    pub(crate) fn descriptor(&self) -> Option<RawFd> {
        self.0.try_lock().ok()?.as_ref().map(AsRawFd::as_raw_fd)
    }

    fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Leash {
    pub(crate) fn new() -> std::io::Result<(Self, SupervisorEnd)> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_read_timeout(Some(LONGEST_WAIT))?;
        let theirs = SupervisorEnd(Arc::new(Mutex::new(Some(theirs))));
        Ok((
            Self {
                ours,
                theirs: theirs.clone(),
            },
            theirs,
        ))
    }

    /// Kills the program and waits until it is gone: the same as dropping, in words.
    pub fn kill(self) {
        drop(self);
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        self.theirs.close();
        // Neither can fail in a way that leaves something to do: a supervisor that is gone already is what is wanted.
        let _ = self.ours.shutdown(Shutdown::Write);
        let _ = self.ours.read(&mut [0]);
    }
}
