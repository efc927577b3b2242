//! Limits as the kernel knows them.

use nix::sys::resource::{Resource, rlim_t, setrlimit};

use crate::policy::Limits;

/// Without a user namespace the kernel counts threads over all that the user runs, this service included, so the limit
/// can only stop a bomb.
const PROCESSES_OF_A_SHARED_USER: u64 = 4096;
/// Threads that do not ask for another size get stacks of this one.
const STACK_BYTES: u64 = 8 << 20;

pub(crate) type ResourceLimits = [(Resource, rlim_t); 9];

pub(crate) fn resource_limits(limits: &Limits, own_user_namespace: bool) -> ResourceLimits {
    let processes = if own_user_namespace {
        limits.processes
    } else {
        PROCESSES_OF_A_SHARED_USER
    };
    [
        (Resource::RLIMIT_AS, limits.memory_bytes),
        (Resource::RLIMIT_CPU, limits.cpu_seconds),
        (Resource::RLIMIT_FSIZE, limits.file_bytes),
        (Resource::RLIMIT_NPROC, processes),
        (Resource::RLIMIT_NOFILE, limits.open_files),
        (Resource::RLIMIT_STACK, STACK_BYTES),
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_MEMLOCK, 0),
        (Resource::RLIMIT_MSGQUEUE, 0),
    ]
}

/// Sets them, soft and hard alike. Where the service itself has less, it stays with less.
pub(crate) fn apply(limits: &ResourceLimits) -> nix::Result<()> {
    limits.iter().try_for_each(|&(resource, wanted)| {
        let (_, most) = nix::sys::resource::getrlimit(resource)?;
        setrlimit(resource, wanted.min(most), wanted.min(most))
    })
}
