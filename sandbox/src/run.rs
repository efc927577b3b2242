//! From a policy to a confined command.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child::{self, Plan};
use crate::filesystem::{self, RulesError};
use crate::identity::{Identity, Right, Unreachable};
use crate::leash::Leash;
use crate::limits::resource_limits;
use crate::policy::Policy;
use crate::support::{Missing, Part, Support};
use crate::system_calls::Filters;

/// Why a command could not be confined. It must not be spawned then.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{} is not an absolute path", .0.display())]
    Relative(PathBuf),
    #[error(transparent)]
    Unreachable(#[from] Unreachable),
    #[error("the files of the sandbox: {0}")]
    Files(#[from] RulesError),
    #[error("the leash: {0}")]
    Leash(#[source] io::Error),
}

/// Confines commands, with the parts that this machine has.
#[derive(Debug, Clone)]
pub struct Sandbox {
    support: Support,
    identity: Identity,
    filters: Option<Filters>,
}

impl Sandbox {
    /// With every required part, or not at all. Tries the parts, so call it once, at the start.
    pub fn required() -> Result<Self, Missing> {
        let sandbox = Self::without_missing_parts();
        sandbox.support.check().map(|()| sandbox)
    }

    /// With what there is, be it nothing. Only where people have said that they want that.
    pub fn without_missing_parts() -> Self {
        Self::using(Support::detect())
    }

    /// With these parts, and no others.
    pub fn using(mut support: Support) -> Self {
        let identity = Identity::of_programs(support.has(Part::UnprivilegedUser));
        let filters = support
            .has(Part::SystemCallFilter)
            .then(Filters::compile)
            .and_then(Result::ok);
        if filters.is_none() {
            support.parts.remove(&Part::SystemCallFilter);
        }
        Self {
            support,
            identity,
            filters,
        }
    }

    pub fn support(&self) -> &Support {
        &self.support
    }

    /// Gives the folder to the user that programs run as. It does something only where the service is root; a service
    /// that may be must call it for each folder that it made for a program.
    pub fn hand_over(&self, folder: &Path) -> io::Result<()> {
        self.identity.hand_over(folder)
    }

    /// Has the command run under the policy: in the writable folder unless it has another one, with an empty
    /// environment and nothing open but its standard streams. For one spawn, which must come before the leash is dropped.
    pub fn confine(&self, command: &mut Command, policy: &Policy) -> Result<Leash, Error> {
        let program = PathBuf::from(command.get_program());
        self.check(&program, policy)?;
        let rules = self
            .support
            .has(Part::Landlock)
            .then(|| filesystem::rules(&program, policy))
            .transpose()?;
        let (leash, supervisor_end) = Leash::new().map_err(Error::Leash)?;
        let namespaces = self.support.has(Part::Namespaces);
        let limits = self
            .support
            .has(Part::ResourceLimits)
            .then(|| resource_limits(&policy.limits, namespaces));

        command.env_clear();
        if command.get_current_dir().is_none() {
            command.current_dir(policy.writable.as_deref().unwrap_or(Path::new("/")));
        }
        std::os::unix::process::CommandExt::process_group(command, 0);
        let plan = Plan {
            leash: supervisor_end,
            identity: self.identity.clone(),
            namespaces,
            limits,
            rules,
            filters: self.filters.clone(),
            wall: policy.limits.wall,
        };
        child::confine(command, plan);
        Ok(leash)
    }

    fn check(&self, program: &Path, policy: &Policy) -> Result<(), Error> {
        let files = policy
            .readable
            .iter()
            .map(|file| (file.as_path(), Right::Read));
        let folder = policy
            .writable
            .iter()
            .map(|folder| (folder.as_path(), Right::Fill));
        for (path, right) in files.chain(folder).chain([(program, Right::Execute)]) {
            if path.is_relative() {
                return Err(Error::Relative(path.to_owned()));
            }
            self.identity.check(path, right)?;
        }
        Ok(())
    }
}
