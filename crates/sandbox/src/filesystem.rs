//! The files that a program can access, as a Landlock ruleset.
//!
//! The ruleset is built before the fork, where it may allocate memory. After the fork, one system call enforces it. The
//! ruleset uses everything that the kernel supports: newer kernels also block TCP, abstract sockets and signals to
//! others.

use std::os::fd::OwnedFd;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, Scope, make_bitflags,
};

use crate::interpreter::interpreter;
use crate::policy::Policy;

/// The folders in which distributions keep libraries.
const LIBRARIES: [&str; 6] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/libx32", "/usr/local/lib"];
/// Files that the loader and the C library read.
const SYSTEM: [&str; 4] = ["/etc/ld.so.cache", "/etc/localtime", "/dev/urandom", "/sys/devices/system/cpu"];
const NULL: &str = "/dev/null";
/// Files and folders that list the graphics cards for their libraries.
const ABOUT_DEVICES: [&str; 7] = [
    "/proc/devices",
    "/proc/driver/nvidia",
    "/sys/bus/pci",
    "/sys/class/drm",
    "/sys/dev/char",
    "/sys/devices",
    "/usr/share/libdrm",
];

/// The newest set of rights to request. Each kernel applies the rights that it supports.
const NEWEST: ABI = ABI::V9;

#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    #[error("Landlock: {0}")]
    Ruleset(#[from] RulesetError),
    #[error("cannot use {path}: {source}")]
    Path { path: String, source: std::io::Error },
    #[error("the kernel does not support Landlock")]
    NoLandlock,
}

/// Returns the rules that let `program` run under `policy`, in this version of the kernel's interface.
pub(crate) fn rules(program: &Path, policy: &Policy, landlock_abi: u32) -> Result<OwnedFd, RulesError> {
    let read = AccessFs::ReadFile.into();
    let read_below = make_bitflags!(AccessFs::{ReadFile | ReadDir});
    let execute = make_bitflags!(AccessFs::{ReadFile | Execute});
    let write_below =
        make_bitflags!(AccessFs::{ReadFile | ReadDir | WriteFile | Truncate | MakeReg | MakeDir | RemoveFile});

    let mut rules = deny_all(landlock_abi)?;
    let about_devices: &[&str] = if policy.devices.is_empty() { &[] } else { &ABOUT_DEVICES };
    let system = LIBRARIES.iter().chain(&SYSTEM).chain(about_devices);
    for path in system.map(Path::new).filter(|path| path.exists()) {
        rules = allow(rules, path, if path.is_dir() { read_below } else { read })?;
    }
    rules = allow(rules, Path::new(NULL), make_bitflags!(AccessFs::{ReadFile | WriteFile}))?;
    rules = allow(rules, program, execute)?;
    let loader = interpreter(program).map_err(|source| unusable(program, source))?;
    if let Some(loader) = &loader {
        rules = allow(rules, loader, execute)?;
    }
    for file in &policy.readable {
        rules = allow(rules, file, read)?;
    }
    if let Some(folder) = &policy.writable {
        rules = allow(rules, folder, write_below)?;
    }
    for device in &policy.devices {
        rules = allow(rules, device, make_bitflags!(AccessFs::{ReadFile | WriteFile | IoctlDev}))?;
    }
    Option::from(rules).ok_or(RulesError::NoLandlock)
}

/// Returns a ruleset that allows nothing.
pub(crate) fn deny_all(landlock_abi: u32) -> Result<RulesetCreated, RulesetError> {
    let abi = ABI::from(i32::try_from(landlock_abi).unwrap_or(i32::MAX)).min(NEWEST);
    let rules = Ruleset::default().handle_access(AccessFs::from_all(abi))?;
    let (network, scopes) = (AccessNet::from_all(abi), Scope::from_all(abi));
    let rules = if network.is_empty() { rules } else { rules.handle_access(network)? };
    let rules = if scopes.is_empty() { rules } else { rules.scope(scopes)? };
    rules.create()
}

fn allow(rules: RulesetCreated, path: &Path, rights: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesError> {
    let opened = PathFd::new(path).map_err(|error| unusable(path, std::io::Error::other(error)))?;
    Ok(rules.add_rule(PathBeneath::new(opened, rights))?)
}

fn unusable(path: &Path, source: std::io::Error) -> RulesError {
    RulesError::Path { path: path.display().to_string(), source }
}
