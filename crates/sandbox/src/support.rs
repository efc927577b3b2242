//! Detects the layers of the sandbox that this machine supports, and whether they are enough.

use std::collections::BTreeSet;
use std::fmt;
use std::os::fd::OwnedFd;

use crate::filesystem;
use crate::identity::Identity;
use crate::limits;
use crate::policy::Limits;
use crate::raw_calls;
use crate::system_calls::Filters;
use crate::trial::Trial;

/// One layer of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Programs run as an unprivileged user if the service is root.
    UnprivilegedUser,
    /// Namespaces hide network devices, other processes and their shared memory.
    Namespaces,
    /// Landlock denies access to other files.
    Landlock,
    /// Seccomp allows only the system calls that media tools make.
    SystemCallFilter,
    /// Limits memory, time, file size and threads, and closes inherited descriptors.
    ResourceLimits,
}

impl Layer {
    pub const ALL: [Self; 5] =
        [Self::UnprivilegedUser, Self::Namespaces, Self::Landlock, Self::SystemCallFilter, Self::ResourceLimits];

    /// Only namespaces are optional: many hosts forbid them to users and containers, and the system call filter and
    /// Landlock block the same things.
    pub const fn is_required(self) -> bool {
        !matches!(self, Self::Namespaces)
    }

    /// Returns the name of the layer and what it needs.
    const fn requirement(self) -> &'static str {
        match self {
            Self::UnprivilegedUser => {
                "an unprivileged user: this process cannot change to user and group 65534. \
                 Run the service as a user other than root"
            }
            Self::Namespaces => "namespaces: forbidden by user.max_user_namespaces, AppArmor or the container",
            Self::Landlock => {
                "Landlock: needs Linux 5.13 or newer, with landlock in the list of security modules (lsm=)"
            }
            Self::SystemCallFilter => {
                "a system call filter: needs Linux with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64"
            }
            Self::ResourceLimits => "resource limits and close_range: need Linux 5.11 or newer",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.requirement())
    }
}

/// The layers that this machine supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    pub layers: BTreeSet<Layer>,
    /// The version of the kernel's Landlock interface: 1 restricts files, 4 also TCP, 6 also signals and abstract
    /// sockets. 0 means no Landlock.
    pub landlock_abi: u32,
}

/// The required layers that this machine does not support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingLayers(pub Vec<Layer>);

impl fmt::Display for MissingLayers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("this machine cannot confine untrusted programs. Missing:")?;
        self.0.iter().try_for_each(|layer| write!(formatter, "\n  - {layer}"))
    }
}

impl std::error::Error for MissingLayers {}

impl Support {
    /// Tries each layer in a forked process, in the same way as it will be used.
    pub fn detect() -> Self {
        let layers = Layer::ALL.into_iter().filter(|&layer| works(layer)).collect();
        Self { layers, landlock_abi: raw_calls::landlock_version() }
    }

    /// Returns what this machine's sandbox fails to block although all required layers work.
    pub fn weaknesses(&self) -> Vec<&'static str> {
        let weaknesses = [
            (!self.has(Layer::Namespaces), "without namespaces, programs see which processes exist"),
            (
                self.landlock_abi < 6,
                "without Landlock 6 (Linux 6.12), only the filter stops signals to other processes",
            ),
            (self.landlock_abi < 3, "without Landlock 3 (Linux 6.2), programs may truncate files of their user"),
        ];
        weaknesses.into_iter().filter_map(|(applies, text)| applies.then_some(text)).collect()
    }

    pub fn has(&self, layer: Layer) -> bool {
        self.layers.contains(&layer)
    }

    /// Returns an error that lists the missing layers if a required one is missing.
    pub fn check(&self) -> Result<(), MissingLayers> {
        let missing: Vec<_> = Layer::ALL.into_iter().filter(|layer| layer.is_required() && !self.has(*layer)).collect();
        if missing.is_empty() { Ok(()) } else { Err(MissingLayers(missing)) }
    }
}

fn works(layer: Layer) -> bool {
    match layer {
        Layer::UnprivilegedUser => Trial::User(&Identity::for_programs(true)).succeeds(),
        Layer::Namespaces => Trial::Namespaces(&Identity::for_programs(true)).succeeds(),
        Layer::Landlock => {
            let rules: Option<OwnedFd> = filesystem::deny_all(raw_calls::landlock_version()).ok().and_then(Into::into);
            rules.is_some_and(|rules| Trial::Landlock(&rules).succeeds())
        }
        Layer::SystemCallFilter => Filters::compile().is_ok_and(|filters| Trial::SystemCallFilter(&filters).succeeds()),
        Layer::ResourceLimits => Trial::ResourceLimits(&limits::resource_limits(&GENEROUS_LIMITS, true)).succeeds(),
    }
}

/// Limits that the trial stays below.
const GENEROUS_LIMITS: Limits = Limits {
    memory_bytes: 1 << 40,
    cpu_seconds: 60,
    file_bytes: 1 << 40,
    threads: 1 << 10,
    open_files: 64,
    wall_time: std::time::Duration::from_mins(1),
};

#[cfg(test)]
mod tests {
    use super::*;

    fn all_except(layer: Layer) -> Support {
        Support { layers: Layer::ALL.into_iter().filter(|&other| other != layer).collect(), landlock_abi: 1 }
    }

    #[test]
    fn the_error_names_each_missing_required_layer() {
        for layer in Layer::ALL.into_iter().filter(|layer| layer.is_required()) {
            let missing = all_except(layer).check().expect_err("an error");
            assert_eq!(missing, MissingLayers(vec![layer]));
            assert!(missing.to_string().contains(&layer.to_string()), "{missing}");
        }
    }

    #[test]
    fn namespaces_are_not_required() {
        assert_eq!(all_except(Layer::Namespaces).check(), Ok(()));
    }

    #[test]
    fn the_error_lists_all_missing_layers() {
        let nothing = Support { layers: BTreeSet::new(), landlock_abi: 0 };
        assert_eq!(nothing.check().expect_err("an error").0.len(), 4);
    }
}
