//! Escapes through other processes: inspecting, stopping or outliving them.

use std::ffi::CString;

use nix::libc;
use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, Uid, setsid, setuid};

use crate::arena::Arena;
use crate::attempt::{Attempt, Outcome};
use crate::raw_calls::{call, fork};

/// Chooses the signal that a descriptor's owner gets. The `libc` crate does not define it.
const F_SETSIG: i32 = 10;

/// Without a mount namespace, nothing hides which processes exist.
pub(crate) const SEE_SERVICE: &str = "find out whether the service runs";

pub(crate) const ATTEMPTS: &[Attempt] = &[
    ("trace the service", |arena| Ok(ptrace::seize(service(arena), ptrace::Options::empty())?)),
    ("read the service's memory", read_memory),
    ("signal the service", |arena| Ok(kill(service(arena), Signal::SIGURG)?)),
    ("signal a thread of the service", |arena| {
        let service = u64::try_from(arena.parent)?;
        call(libc::SYS_tgkill, &[service, service, u64::try_from(libc::SIGURG)?])?;
        Ok(())
    }),
    ("signal every process", |_| Ok(kill(Pid::from_raw(-1), None)?)),
    ("signal init", |_| Ok(kill(Pid::from_raw(1), None)?)),
    ("open a descriptor of the service", |arena| {
        call(libc::SYS_pidfd_open, &[u64::try_from(arena.parent)?, 0])?;
        Ok(())
    }),
    ("copy the service's descriptors", |arena| {
        let process = u64::try_from(call(libc::SYS_pidfd_open, &[u64::try_from(arena.parent)?, 0])?)?;
        call(libc::SYS_pidfd_getfd, &[process, 1, 0])?;
        Ok(())
    }),
    ("lower the service's priority", |arena| {
        call(libc::SYS_setpriority, &[0, u64::try_from(arena.parent)?, 1])?;
        call(libc::SYS_setpriority, &[0, u64::try_from(arena.parent)?, 0]).map(drop).or(Ok(()))
    }),
    ("change the service's limits", |arena| {
        let limit = [libc::RLIM_INFINITY; 2];
        call(
            libc::SYS_prlimit64,
            &[u64::try_from(arena.parent)?, libc::RLIMIT_CORE.into(), crate::raw_calls::address(&limit)],
        )?;
        Ok(())
    }),
    ("move the service to another processor", |arena| {
        let (service, mut mask) = (u64::try_from(arena.parent)?, [0_u64; 16]);
        call(libc::SYS_sched_getaffinity, &[0, 128, crate::raw_calls::address(&mask)])?;
        mask[0] |= 1;
        call(libc::SYS_sched_setaffinity, &[service, 128, crate::raw_calls::address(&mask)])?;
        Ok(())
    }),
    ("have the kernel signal the service when a descriptor is ready", |arena| {
        let service = u64::try_from(arena.parent)?;
        let set = |command: i32, value| call(libc::SYS_fcntl, &[1, command.unsigned_abs().into(), value]);
        set(F_SETSIG, u64::from(libc::SIGURG.unsigned_abs()))?;
        set(libc::F_SETOWN, service)?;
        Ok(())
    }),
    (SEE_SERVICE, |arena| Ok(std::fs::metadata(format!("/proc/{}", arena.parent)).map(drop)?)),
    ("leave the process group for a new session", |_| {
        // The leader of a group can leave it only after a fork.
        if setsid().is_ok() || (fork()? && setsid().is_ok()) { Ok(()) } else { Err("no session".into()) }
    }),
    ("become a daemon", |_| {
        if fork()? {
            setsid()?;
            fork()?;
        }
        Ok(())
    }),
    ("start 64 processes", |_| {
        for _ in 0..64 {
            if fork()? {
                nix::unistd::pause();
            }
        }
        // The suite kills the children with their process group.
        Ok(())
    }),
    ("become root", |_| Ok(setuid(Uid::from_raw(0))?)),
    ("join the service's network namespace", |arena| join(arena, "net")),
    ("join the service's mount namespace", |arena| join(arena, "mnt")),
    ("start a process with new namespaces", |_| {
        let flags = libc::CLONE_NEWUSER | libc::SIGCHLD;
        match call(libc::SYS_clone, &[u64::try_from(flags)?])? {
            0 => std::process::exit(0),
            child => Ok(waitpid(Pid::from_raw(i32::try_from(child)?), None).map(drop)?),
        }
    }),
    ("start a process as a sibling", |_| {
        let flags = libc::CLONE_PARENT | libc::SIGCHLD;
        match call(libc::SYS_clone, &[u64::try_from(flags)?])? {
            0 => std::process::exit(0),
            _ => Ok(()),
        }
    }),
    ("execute a program as root", |_| {
        let [program, list] = [c"/usr/bin/su", c"--version"].map(CString::from);
        match nix::unistd::execv(&program, &[program.clone(), list])? {}
    }),
];

fn service(arena: &Arena) -> Pid {
    Pid::from_raw(arena.parent)
}

/// EFAULT counts as success: the kernel reports a bad address only to a process that may read the memory.
fn read_memory(arena: &Arena) -> Outcome {
    let mut byte = [0_u8];
    let remote = RemoteIoVec { base: 4096, len: 1 };
    match process_vm_readv(service(arena), &mut [std::io::IoSliceMut::new(&mut byte)], &[remote]) {
        Ok(_) | Err(nix::errno::Errno::EFAULT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn join(arena: &Arena, kind: &str) -> Outcome {
    let namespace = std::fs::File::open(format!("/proc/{}/ns/{kind}", arena.parent))?;
    Ok(nix::sched::setns(namespace, nix::sched::CloneFlags::empty())?)
}
