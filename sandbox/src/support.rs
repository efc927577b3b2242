//! What this kernel can give: found by trying, and judged by a pure rule.

use std::collections::BTreeSet;
use std::fmt;
use std::os::fd::OwnedFd;

use nix::sys::prctl;

use crate::child;
use crate::filesystem;
use crate::identity::Identity;
use crate::limits;
use crate::policy::Limits;
use crate::system_calls::Filters;

/// One wall of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A user without rights to change to, where the service is root.
    UnprivilegedUser,
    /// Namespaces: no network devices, no other processes, none of their shared memory.
    Namespaces,
    /// Landlock: no other files.
    Landlock,
    /// Seccomp: only the system calls that media tools make.
    SystemCallFilter,
    /// Limits on memory, time, file size, threads, and closing what is open.
    ResourceLimits,
}

impl Part {
    pub const ALL: [Self; 5] = [
        Self::UnprivilegedUser,
        Self::Namespaces,
        Self::Landlock,
        Self::SystemCallFilter,
        Self::ResourceLimits,
    ];

    /// Namespaces are taken where they are to be had: many hosts forbid them to users and containers, and the filter of
    /// system calls and Landlock refuse the same things a second time.
    pub const fn is_required(self) -> bool {
        !matches!(self, Self::Namespaces)
    }

    const fn need(self) -> &'static str {
        match self {
            Self::UnprivilegedUser => {
                "an unprivileged user: change to user and group 65534 is refused; run as another user than root"
            }
            Self::Namespaces => {
                "namespaces: user.max_user_namespaces, AppArmor or the container forbids them"
            }
            Self::Landlock => {
                "Landlock: Linux 5.13 or newer, with landlock in the list of security modules (lsm=)"
            }
            Self::SystemCallFilter => {
                "a filter of system calls: Linux with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64"
            }
            Self::ResourceLimits => "resource limits, and close_range: Linux 5.11 or newer",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.need())
    }
}

/// The parts that are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    pub parts: BTreeSet<Part>,
    /// The version of Landlock's interface, 0 where there is none: 1 files, 4 TCP, 6 signals and abstract sockets.
    pub landlock_abi: u32,
}

/// The required parts that this machine does not give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing(pub Vec<Part>);

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("this machine cannot confine untrusted programs; missing:")?;
        self.0
            .iter()
            .try_for_each(|part| write!(formatter, "\n  - {part}"))
    }
}

impl std::error::Error for Missing {}

impl Support {
    /// Tries each part in a forked process, in the way in which it will be used.
    pub fn detect() -> Self {
        let parts = Part::ALL.into_iter().filter(|&part| works(part)).collect();
        Self {
            parts,
            landlock_abi: child::landlock_version(),
        }
    }

    pub fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Names each required part that is not there.
    pub fn check(&self) -> Result<(), Missing> {
        let missing: Vec<_> = Part::ALL
            .into_iter()
            .filter(|part| part.is_required() && !self.has(*part))
            .collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(Missing(missing))
        }
    }
}

fn works(part: Part) -> bool {
    match part {
        Part::UnprivilegedUser => {
            let identity = Identity::of_programs(true);
            child::try_in_child(false, || Ok(child::assume(&identity)?)).is_ok()
        }
        Part::Namespaces => namespaces_work(),
        Part::Landlock => {
            let rules: Option<OwnedFd> = filesystem::nothing().ok().and_then(Into::into);
            rules.is_some_and(|rules| {
                child::try_in_child(false, || {
                    prctl::set_no_new_privs()?;
                    Ok(child::restrict_self(&rules)?)
                })
                .is_ok()
            })
        }
        Part::SystemCallFilter => Filters::compile().is_ok_and(|filters| {
            child::try_in_child(false, || {
                filters
                    .apply()
                    .map_err(|_| nix::errno::Errno::ENOSYS.into())
            })
            .is_ok()
        }),
        Part::ResourceLimits => {
            let limits = limits::resource_limits(&GENEROUS, true);
            child::try_in_child(false, || {
                limits::apply(&limits)?;
                Ok(child::try_closing()?)
            })
            .is_ok()
        }
    }
}

/// Namespaces are made by the user that programs run as, so the trial changes to it first.
fn namespaces_work() -> bool {
    let identity = Identity::of_programs(true);
    child::try_in_child(false, || {
        child::assume(&identity)?;
        child::try_in_child(true, || child::map_user(&identity))
    })
    .is_ok()
}

/// Limits that no trial reaches.
const GENEROUS: Limits = Limits {
    memory_bytes: 1 << 40,
    cpu_seconds: 60,
    file_bytes: 1 << 40,
    processes: 1 << 10,
    open_files: 64,
    wall: std::time::Duration::from_mins(1),
};

#[cfg(test)]
mod tests {
    use super::*;

    fn all_but(part: Part) -> Support {
        Support {
            parts: Part::ALL
                .into_iter()
                .filter(|&other| other != part)
                .collect(),
            landlock_abi: 1,
        }
    }

    #[test]
    fn each_required_part_that_is_missing_is_named() {
        for part in Part::ALL.into_iter().filter(|part| part.is_required()) {
            let missing = all_but(part).check().expect_err("refused");
            assert_eq!(missing, Missing(vec![part]));
            assert!(missing.to_string().contains(&part.to_string()), "{missing}");
        }
    }

    #[test]
    fn a_machine_without_namespaces_is_good_enough() {
        assert_eq!(all_but(Part::Namespaces).check(), Ok(()));
    }

    #[test]
    fn a_machine_without_anything_is_told_all_of_it() {
        let nothing = Support {
            parts: BTreeSet::new(),
            landlock_abi: 0,
        };
        assert_eq!(nothing.check().expect_err("refused").0.len(), 4);
    }
}
