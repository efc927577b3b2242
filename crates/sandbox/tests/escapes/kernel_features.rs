//! Escapes through kernel features that a media tool never needs.

use nix::libc;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

use crate::attempt::{Attempt, Outcome};
use crate::raw_calls::{address, call};

pub(crate) const ATTEMPTS: &[Attempt] = &[
    ("create namespaces", |_| Ok(unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)?)),
    ("mount a file system", |arena| {
        unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?;
        Ok(mount(Some("none"), &arena.job(), Some("tmpfs"), MsFlags::empty(), None::<&str>)?)
    }),
    ("mount with the newer calls", |_| {
        unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?;
        plain(libc::SYS_fsopen, &[address(&b"tmpfs\0"[0]), 0])
    }),
    ("change the root folder", |arena| {
        // Root can do this directly; another user needs the rights that a namespace gives.
        let _ = unshare(CloneFlags::CLONE_NEWUSER);
        Ok(nix::unistd::chroot(&arena.job())?)
    }),
    ("swap the root folder", |arena| {
        unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?;
        mount(Some("none"), &arena.job(), Some("tmpfs"), MsFlags::empty(), None::<&str>)?;
        Ok(nix::unistd::pivot_root(&arena.job(), &arena.job())?)
    }),
    ("load a program into the kernel", |_| {
        let map = [2_u32, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        plain(libc::SYS_bpf, &[0, address(&map), 48])
    }),
    ("use io_uring", |_| {
        let parameters = [0_u64; 15];
        plain(libc::SYS_io_uring_setup, &[1, address(&parameters)])
    }),
    ("handle its own page faults", |_| plain(libc::SYS_userfaultfd, &[1])),
    ("watch performance counters", |_| {
        // A software clock of this process, in user space only.
        let mut event = [0_u64; 16];
        event[0] = 1 | 128 << 32;
        event[5] = 1 << 5 | 1 << 6;
        plain(libc::SYS_perf_event_open, &[address(&event), 0, u64::MAX, u64::MAX, 0])
    }),
    ("read the user's keys", |_| plain(libc::SYS_keyctl, &[0, u64::MAX - 3, 1])),
    ("store a key in the kernel", |_| {
        let (kind, name) = (b"user\0", b"clipgate\0");
        plain(libc::SYS_add_key, &[address(&kind[0]), address(&name[0]), address(&name[0]), 4, u64::MAX - 1])
    }),
    ("watch other programs' files", |_| plain(libc::SYS_fanotify_init, &[0x200, 0])),
    ("share memory with other processes", |_| plain(libc::SYS_shmget, &[0, 4096, 0o1600])),
    ("send messages to other processes", |_| plain(libc::SYS_msgget, &[0, 0o1600])),
    ("create a system-wide semaphore", |_| plain(libc::SYS_semget, &[0, 1, 0o1600])),
    ("read the kernel's messages", |_| plain(libc::SYS_syslog, &[10])),
    ("disable address space randomisation", |_| plain(libc::SYS_personality, &[0x004_0000])),
    ("create secret memory", |_| plain(libc::SYS_memfd_secret, &[0])),
    ("compare descriptors with the service's", |arena| {
        let service = u64::try_from(arena.parent)?;
        plain(libc::SYS_kcmp, &[service, service, 0, 0, 0])
    }),
    ("start a process with clone3, whose flags no filter can read", |_| {
        let mut request = [0_u64; 8];
        request[4] = u64::try_from(libc::SIGCHLD)?;
        match call(libc::SYS_clone3, &[address(&request), 64])? {
            0 => std::process::exit(0),
            _ => Ok(()),
        }
    }),
];

fn plain(number: libc::c_long, arguments: &[u64]) -> Outcome {
    call(number, arguments)?;
    Ok(())
}
