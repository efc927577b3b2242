//! The filter of system calls: which there are, which are refused, and which are an attack.
//!
//! Three filters are put into force one after the other; for each call the kernel takes the strictest answer.
//! - What is on no list is **refused** with EPERM: a program that asks for something odd gets an error that it can handle.
//! - What only an attack asks for **kills**: reaching the network, another process, the kernel's own machinery. The
//!   program is then known to be taken over, or to follow a hostile file, and no second attempt is wanted.
//! - `clone3` **does not exist** (ENOSYS): its flags lie in memory, where no filter can look; the C library then
//!   uses `clone`, whose flags are seen, and which may make threads but no processes.
//!
//! The allowed calls were found by tracing transcodes (H.264, AAC, VP9, AV1, HLS, JPEG, WebP, PNG) and ffprobe, then adding
//! what newer C libraries use for the same work.

use std::collections::BTreeMap;

use nix::libc::{self, c_long};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

/// Allowed with any arguments.
const ALLOWED: &[c_long] = &[
    // Files that are open, and opening; which ones is Landlock's to say.
    libc::SYS_openat,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_lseek,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_fadvise64,
    libc::SYS_copy_file_range,
    libc::SYS_sendfile,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_fcntl,
    libc::SYS_flock,
    libc::SYS_pipe2,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_unlinkat,
    libc::SYS_mkdirat,
    libc::SYS_umask,
    // Memory.
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_mlock,
    libc::SYS_munlock,
    libc::SYS_get_mempolicy,
    libc::SYS_set_mempolicy,
    libc::SYS_mbind,
    libc::SYS_membarrier,
    libc::SYS_mincore,
    // Threads, and waiting.
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_rseq,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_getpriority,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_restart_syscall,
    // Signals that it gets: it sends none.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    // Itself, and the time.
    libc::SYS_execve,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getpgid,
    libc::SYS_getrusage,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getcpu,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_times,
];

/// Calls that only older processors' C libraries make.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[c_long] = &[
    libc::SYS_open,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_unlink,
    libc::SYS_mkdir,
    libc::SYS_dup2,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_epoll_wait,
    libc::SYS_getdents,
    libc::SYS_getpgrp,
    libc::SYS_arch_prctl,
    libc::SYS_time,
    libc::SYS_getrlimit,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[c_long] = &[];

/// What only an attack asks for.
const ATTACKS: &[c_long] = &[
    // The network, and other programs' sockets.
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_kcmp,
    // Another view of the system.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    // Large parts of the kernel, from which most escapes of the last years started.
    libc::SYS_bpf,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_perf_event_open,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_fanotify_init,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_vmsplice,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// Asking what a terminal is, and how much there is to read. Above all not TIOCSTI, which types into the terminal.
const CONTROLS: &[u64] = &[
    libc::TCGETS,
    libc::TIOCGWINSZ,
    libc::FIONREAD,
    libc::FIOCLEX,
    libc::FIONCLEX,
];
/// Names of threads and of memory.
const PROCESS_CONTROLS: [i32; 4] = [
    libc::PR_SET_NAME,
    libc::PR_GET_NAME,
    libc::PR_SET_VMA,
    libc::PR_GET_DUMPABLE,
];

/// The filters, compiled once, before any fork.
#[derive(Debug, Clone)]
pub(crate) struct Filters([BpfProgram; 3]);

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

impl Filters {
    pub(crate) fn compile() -> Result<Self, BackendError> {
        let kill = SeccompAction::KillProcess;
        let refuse = |error: i32| SeccompAction::Errno(error.unsigned_abs());
        Ok(Self([
            compile(rules(ATTACKS), SeccompAction::Allow, kill)?,
            compile(
                rules(&[libc::SYS_clone3]),
                SeccompAction::Allow,
                refuse(libc::ENOSYS),
            )?,
            // Last: it forbids to add filters.
            compile(allowed()?, refuse(libc::EPERM), SeccompAction::Allow)?,
        ]))
    }

    /// Puts them into force for this process. Between fork and exec: two system calls a filter, no memory.
    pub(crate) fn apply(&self) -> Result<(), seccompiler::Error> {
        self.0
            .iter()
            .try_for_each(|filter| seccompiler::apply_filter(filter))
    }
}

fn compile(
    rules: Rules,
    otherwise: SeccompAction,
    listed: SeccompAction,
) -> Result<BpfProgram, BackendError> {
    SeccompFilter::new(
        rules,
        otherwise,
        listed,
        TargetArch::try_from(std::env::consts::ARCH)?,
    )?
    .try_into()
}

fn rules(calls: &[c_long]) -> Rules {
    calls.iter().map(|&call| (call, Vec::new())).collect()
}

fn allowed() -> Result<Rules, BackendError> {
    let mut rules = rules(&[ALLOWED, ALLOWED_HERE, &[libc::SYS_clone3]].concat());
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    rules.insert(
        libc::SYS_clone,
        vec![when(0, SeccompCmpOp::MaskedEq(thread), thread)?],
    );
    rules.insert(libc::SYS_ioctl, any_of(1, CONTROLS)?);
    rules.insert(
        libc::SYS_prctl,
        any_of(
            0,
            &PROCESS_CONTROLS.map(|control| u64::from(control.unsigned_abs())),
        )?,
    );
    // Reading a limit of its own, never setting one.
    let null = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![null])?]);
    Ok(rules)
}

fn any_of(argument: u8, values: &[u64]) -> Result<Vec<SeccompRule>, BackendError> {
    values
        .iter()
        .map(|&value| when(argument, SeccompCmpOp::Eq, value))
        .collect()
}

fn when(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        operator,
        value,
    )?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_allowed_and_an_attack_at_once() {
        let allowed = allowed().unwrap();
        let both: Vec<_> = ATTACKS
            .iter()
            .filter(|call| allowed.contains_key(call))
            .collect();
        assert!(both.is_empty(), "{both:?}");
    }

    #[test]
    fn the_filters_compile_for_this_processor() {
        Filters::compile().unwrap();
    }
}
