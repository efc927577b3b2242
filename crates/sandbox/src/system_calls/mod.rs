//! The system call filter: which calls are allowed, which fail, and which kill the program.
//!
//! Three filters are installed one after the other. For each call, the kernel applies the strictest result.
//! - A call on no list **fails** with EPERM, so that a program with an unusual request gets an error that it can
//!   handle.
//! - A call that only an attack makes **kills** the program: reaching the network, another process, or the internals of
//!   the kernel. The program has then been taken over or is following a malicious file, and must not get a second
//!   attempt.
//! - `clone3` **does not exist** (ENOSYS). Its flags are in memory, which a filter cannot read. The C library then uses
//!   `clone`, whose flags a filter can read; it may start threads but no processes.
//!
//! No call kills a program that controls a device: the libraries of graphics cards may try to connect to services that
//! need not run.

mod lists;

use std::collections::BTreeMap;
use std::io;

use nix::errno::Errno;
use nix::libc::{self, c_long};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use lists::{
    ABOUT_ITSELF, ALLOWED, ALLOWED_FOR_DEVICES, ALLOWED_ON_THIS_ARCHITECTURE, ATTACKS, FCNTL_COMMANDS, IOCTL_REQUESTS,
    PRCTL_OPERATIONS,
};

/// The filters, compiled once before any fork.
#[derive(Debug, Clone)]
pub(crate) struct Filters(Vec<BpfProgram>);

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

impl Filters {
    pub(crate) fn compile() -> Result<Self, BackendError> {
        let attacks = compile(rules(ATTACKS), SeccompAction::Allow, SeccompAction::KillProcess)?;
        let [clone3, others] = refusals(allowed()?)?;
        Ok(Self(vec![attacks, clone3, others]))
    }

    /// Returns the filters of a program that controls a device.
    pub(crate) fn compile_for_devices() -> Result<Self, BackendError> {
        let mut allowed = allowed()?;
        allowed.extend(rules(ALLOWED_FOR_DEVICES));
        Ok(Self(refusals(allowed)?.into()))
    }

    /// Installs the filters in this process. Called between fork and exec: each filter takes two system calls and no
    /// allocation.
    pub(crate) fn apply(&self) -> io::Result<()> {
        self.0.iter().try_for_each(|filter| seccompiler::apply_filter(filter).map_err(|error| errno(&error).into()))
    }
}

/// Returns the filters that make calls fail. The allowlist comes last, because it forbids installing more filters.
fn refusals(allowed: Rules) -> Result<[BpfProgram; 2], BackendError> {
    let refuse = |error: i32| SeccompAction::Errno(error.unsigned_abs());
    let clone3 = compile(rules(&[libc::SYS_clone3]), SeccompAction::Allow, refuse(libc::ENOSYS))?;
    Ok([clone3, compile(allowed, refuse(libc::EPERM), SeccompAction::Allow)?])
}

fn errno(error: &seccompiler::Error) -> Errno {
    match error {
        seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error) => {
            Errno::from_raw(error.raw_os_error().unwrap_or(libc::EINVAL))
        }
        _ => Errno::EINVAL,
    }
}

fn compile(rules: Rules, otherwise: SeccompAction, listed: SeccompAction) -> Result<BpfProgram, BackendError> {
    SeccompFilter::new(rules, otherwise, listed, TargetArch::try_from(std::env::consts::ARCH)?)?.try_into()
}

fn rules(calls: &[c_long]) -> Rules {
    calls.iter().map(|&call| (call, Vec::new())).collect()
}

fn allowed() -> Result<Rules, BackendError> {
    let mut rules = rules(&[ALLOWED, ALLOWED_ON_THIS_ARCHITECTURE, &[libc::SYS_clone3]].concat());
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    rules.insert(libc::SYS_clone, vec![when(0, SeccompCmpOp::MaskedEq(thread), thread)?]);
    rules.insert(libc::SYS_ioctl, any_of(1, IOCTL_REQUESTS)?);
    rules.insert(libc::SYS_prctl, any_of(0, &PRCTL_OPERATIONS.map(|operation| u64::from(operation.unsigned_abs())))?);
    rules.insert(libc::SYS_fcntl, any_of(1, &FCNTL_COMMANDS.map(|command| u64::from(command.unsigned_abs())))?);
    for call in ABOUT_ITSELF {
        rules.insert(*call, vec![when(0, SeccompCmpOp::Eq, 0)?]);
    }
    // Reading a limit is allowed; setting one is not.
    let null = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![null])?]);
    Ok(rules)
}

fn any_of(argument: u8, values: &[u64]) -> Result<Vec<SeccompRule>, BackendError> {
    values.iter().map(|&value| when(argument, SeccompCmpOp::Eq, value)).collect()
}

fn when(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_call_is_both_allowed_and_an_attack() {
        let allowed = allowed().unwrap();
        let in_both: Vec<_> = ATTACKS.iter().filter(|call| allowed.contains_key(call)).collect();
        assert!(in_both.is_empty(), "{in_both:?}");
    }

    #[test]
    fn the_filters_compile_for_this_architecture() {
        Filters::compile().unwrap();
        Filters::compile_for_devices().unwrap();
    }
}
