//! The kernel's resource limits for one run.

use nix::sys::resource::{Resource, rlim_t, setrlimit};

use crate::policy::Limits;

/// The thread limit without a user namespace. The kernel then counts all threads of the user, including this service's,
/// so the limit can only stop a fork bomb.
const THREADS_OF_A_SHARED_USER: u64 = 4096;
/// The size of a thread's stack, unless the program asks for another one.
const STACK_BYTES: u64 = 8 << 20;

pub(crate) type ResourceLimits = [(Resource, rlim_t); 9];

pub(crate) fn resource_limits(limits: &Limits, has_user_namespace: bool) -> ResourceLimits {
    let threads = if has_user_namespace { limits.threads } else { THREADS_OF_A_SHARED_USER };
    [
        (Resource::RLIMIT_AS, limits.memory_bytes),
        (Resource::RLIMIT_CPU, limits.cpu_seconds),
        (Resource::RLIMIT_FSIZE, limits.file_bytes),
        (Resource::RLIMIT_NPROC, threads),
        (Resource::RLIMIT_NOFILE, limits.open_files),
        (Resource::RLIMIT_STACK, STACK_BYTES),
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_MEMLOCK, 0),
        (Resource::RLIMIT_MSGQUEUE, 0),
    ]
}

/// Sets the soft and hard limits of this process. Never raises a limit above the service's own hard limit.
pub(crate) fn apply(limits: &ResourceLimits) -> nix::Result<()> {
    limits.iter().try_for_each(|&(resource, value)| {
        let (_, max) = nix::sys::resource::getrlimit(resource)?;
        setrlimit(resource, value.min(max), value.min(max))
    })
}

pub(crate) fn cpu_seconds(limits: &ResourceLimits) -> Option<u64> {
    limits.iter().find(|(resource, _)| *resource == Resource::RLIMIT_CPU).map(|&(_, seconds)| seconds)
}
