//! Turns a policy into a confined command.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::after_fork::{self, Plan};
use crate::filesystem::{self, RulesError};
use crate::identity::{Identity, InaccessiblePath, Right};
use crate::kill_guard::KillGuard;
use crate::limits::resource_limits;
use crate::policy::Policy;
use crate::support::{Layer, MissingLayers, Support};
use crate::system_calls::Filters;

/// The reason why a command could not be confined. Such a command must not be spawned.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{} is not an absolute path", .0.display())]
    RelativePath(PathBuf),
    #[error(transparent)]
    InaccessiblePath(#[from] InaccessiblePath),
    #[error("cannot build the file access rules: {0}")]
    Rules(#[from] RulesError),
    #[error("cannot create the kill guard: {0}")]
    KillGuard(#[source] io::Error),
}

/// Confines commands with the layers that this machine supports.
#[derive(Debug, Clone)]
pub struct Sandbox {
    support: Support,
    identity: Identity,
    filters: Option<Filters>,
    filters_for_devices: Option<Filters>,
}

impl Sandbox {
    /// Returns a sandbox with every required layer, or an error. Tries out each layer, so call it once, at startup.
    pub fn required() -> Result<Self, MissingLayers> {
        let sandbox = Self::best_effort();
        sandbox.support.check().map(|()| sandbox)
    }

    /// Returns a sandbox with the layers that work, possibly none. Use it only if the operator explicitly allowed that.
    pub fn best_effort() -> Self {
        Self::with(Support::detect())
    }

    /// Returns a sandbox with exactly these layers.
    pub fn with(mut support: Support) -> Self {
        let identity = Identity::for_programs(support.has(Layer::UnprivilegedUser));
        let is_filtered = support.has(Layer::SystemCallFilter);
        let filters = is_filtered.then(Filters::compile).and_then(Result::ok);
        let filters_for_devices = is_filtered.then(Filters::compile_for_devices).and_then(Result::ok);
        if filters.is_none() || filters_for_devices.is_none() {
            support.layers.remove(&Layer::SystemCallFilter);
        }
        Self { support, identity, filters, filters_for_devices }
    }

    pub fn support(&self) -> &Support {
        &self.support
    }

    /// Gives the folder to the user that programs run as. Has an effect only if the service is root; a service that may
    /// run as root must call it for each folder that it creates for a program.
    pub fn hand_over(&self, folder: &Path) -> io::Result<()> {
        self.identity.hand_over(folder)
    }

    /// Makes the command run under the policy, with an empty environment and only its standard streams open. It runs in
    /// the writable folder unless the command names another one. The command can be spawned once, before the guard is
    /// dropped.
    pub fn confine(&self, command: &mut Command, policy: &Policy) -> Result<KillGuard, Error> {
        let program = PathBuf::from(command.get_program());
        self.check_paths(&program, policy)?;
        let rules = self
            .support
            .has(Layer::Landlock)
            .then(|| filesystem::rules(&program, policy, self.support.landlock_abi))
            .transpose()?;
        let (guard, supervisor_end) = KillGuard::new().map_err(Error::KillGuard)?;
        let namespaces = self.support.has(Layer::Namespaces);
        let limits = self.support.has(Layer::ResourceLimits).then(|| resource_limits(&policy.limits, namespaces));

        command.env_clear();
        if command.get_current_dir().is_none() {
            command.current_dir(policy.writable.as_deref().unwrap_or(Path::new("/")));
        }
        std::os::unix::process::CommandExt::process_group(command, 0);
        let has_devices = !policy.devices.is_empty();
        let plan = Plan {
            guard: supervisor_end,
            identity: self.identity.clone(),
            namespaces,
            // The libraries of some graphics cards read about them there.
            hides_processes: namespaces && !has_devices,
            limits,
            rules,
            filters: if has_devices { &self.filters_for_devices } else { &self.filters }.clone(),
            wall_time: policy.limits.wall_time,
        };
        after_fork::confine(command, plan);
        Ok(guard)
    }

    fn check_paths(&self, program: &Path, policy: &Policy) -> Result<(), Error> {
        let files = policy.readable.iter().map(|file| (file.as_path(), Right::Read));
        let folder = policy.writable.iter().map(|folder| (folder.as_path(), Right::Fill));
        let devices = policy.devices.iter().map(|device| (device.as_path(), Right::Control));
        for (path, right) in files.chain(folder).chain(devices).chain([(program, Right::Execute)]) {
            if path.is_relative() {
                return Err(Error::RelativePath(path.to_owned()));
            }
            self.identity.check_access(path, right)?;
        }
        Ok(())
    }
}
