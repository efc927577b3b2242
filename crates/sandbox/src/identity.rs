//! The user that programs run as, which is never root.
//!
//! If the service is not root, programs run as the service's user, and a user namespace removes the rights that this
//! user has elsewhere. If the service is root, programs run as a user that owns nothing, so they have neither root's
//! files nor root's exemption from limits.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

use nix::unistd::{getegid, geteuid};

/// The id of `nobody` and `nogroup` on every distribution.
const NOBODY: u32 = 65534;

#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) user: u32,
    pub(crate) group: u32,
    /// Whether the service runs as root, so that the program's process has to change its user.
    pub(crate) must_switch: bool,
    /// The contents of uid_map and gid_map, prepared before the fork.
    pub(crate) user_map: String,
    pub(crate) group_map: String,
}

/// A path of a policy that the program's user cannot access, although the service, as root, can.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} cannot be {action} by user {NOBODY}. When the service runs as root, untrusted programs run as that user. \
     Give it access to the path, or run the service as another user than root",
    path.display()
)]
pub struct InaccessiblePath {
    path: PathBuf,
    action: &'static str,
}

impl Identity {
    /// Returns the identity of programs. `may_switch` says whether changing to another user works on this machine.
    pub(crate) fn for_programs(may_switch: bool) -> Self {
        let must_switch = may_switch && geteuid().is_root();
        let (user, group) = if must_switch { (NOBODY, NOBODY) } else { (geteuid().as_raw(), getegid().as_raw()) };
        let [user_map, group_map] = [user, group].map(|id| format!("{id} {id} 1\n"));
        Self { user, group, must_switch, user_map, group_map }
    }

    /// Makes the program's user the owner of a folder that the service created for it.
    pub(crate) fn hand_over(&self, folder: &Path) -> io::Result<()> {
        if self.must_switch { chown(folder, Some(self.user), Some(self.group)) } else { Ok(()) }
    }

    /// Checks that the program's user can access the path. Without this check, the kernel would deny the access later,
    /// with a less helpful error.
    pub(crate) fn check_access(&self, path: &Path, right: Right) -> Result<(), InaccessiblePath> {
        if !self.must_switch {
            return Ok(());
        }
        let parents = path.ancestors().skip(1).map(|folder| (folder, Right::Enter));
        for (path, right) in parents.chain([(path, right)]) {
            let has_right = std::fs::metadata(path).is_ok_and(|metadata| self.has_right(&metadata, right));
            if !has_right {
                return Err(InaccessiblePath { path: path.to_owned(), action: right.action() });
            }
        }
        Ok(())
    }

    fn has_right(&self, metadata: &Metadata, right: Right) -> bool {
        let shift = match (metadata.uid() == self.user, metadata.gid() == self.group) {
            (true, _) => 6,
            (false, true) => 3,
            (false, false) => 0,
        };
        (metadata.mode() >> shift) & right.bits() == right.bits()
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Right {
    Read,
    Execute,
    /// Reach the files in a folder.
    Enter,
    /// Create files in a folder.
    Fill,
    /// Open a device.
    Control,
}

impl Right {
    fn bits(self) -> u32 {
        match self {
            Self::Read => 0o4,
            Self::Execute | Self::Enter => 0o1,
            Self::Fill => 0o3,
            Self::Control => 0o6,
        }
    }

    fn action(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Execute => "executed",
            Self::Enter => "entered",
            Self::Fill => "written to",
            Self::Control => "controlled",
        }
    }
}
