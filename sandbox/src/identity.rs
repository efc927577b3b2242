//! Who the program runs as: never root.
//!
//! A service that is not root keeps its own user, and a user namespace takes what this user could do elsewhere. A
//! service that is root changes to a user who owns nothing, so that neither root's files nor root's freedom from limits is left.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

use nix::unistd::{getegid, geteuid};

/// `nobody` and `nogroup`, by every distribution's number.
const NOBODY: u32 = 65534;

#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) user: u32,
    pub(crate) group: u32,
    /// Whether the service is somebody else, and has to change.
    pub(crate) changes: bool,
    /// The contents of uid_map and gid_map, made before the fork.
    pub(crate) user_map: String,
    pub(crate) group_map: String,
}

/// What the program's user lacks, where the service is root and so could do it.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} cannot be {wanted} by user {NOBODY}, which untrusted programs run as when the service is root: \
     give it the right, or do not run the service as root",
    path.display()
)]
pub struct Unreachable {
    path: PathBuf,
    wanted: &'static str,
}

impl Identity {
    pub(crate) fn of_programs(may_change: bool) -> Self {
        let changes = may_change && geteuid().is_root();
        let (user, group) = if changes {
            (NOBODY, NOBODY)
        } else {
            (geteuid().as_raw(), getegid().as_raw())
        };
        let [user_map, group_map] = [user, group].map(|id| format!("{id} {id} 1\n"));
        Self {
            user,
            group,
            changes,
            user_map,
            group_map,
        }
    }

    /// Makes the program's user the owner of a folder that the service made for it.
    pub(crate) fn hand_over(&self, folder: &Path) -> io::Result<()> {
        if self.changes {
            chown(folder, Some(self.user), Some(self.group))
        } else {
            Ok(())
        }
    }

    /// Fails where the kernel would later refuse the program what its policy allows, with a reason that helps more.
    pub(crate) fn check(&self, path: &Path, right: Right) -> Result<(), Unreachable> {
        if !self.changes {
            return Ok(());
        }
        let ways = path
            .ancestors()
            .skip(1)
            .map(|folder| (folder, Right::Enter));
        for (path, right) in ways.chain([(path, right)]) {
            let granted = std::fs::metadata(path).is_ok_and(|metadata| self.has(&metadata, right));
            if !granted {
                return Err(Unreachable {
                    path: path.to_owned(),
                    wanted: right.verb(),
                });
            }
        }
        Ok(())
    }

    fn has(&self, metadata: &Metadata, right: Right) -> bool {
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
    Enter,
    Fill,
}

impl Right {
    fn bits(self) -> u32 {
        match self {
            Self::Read => 0o4,
            Self::Execute | Self::Enter => 0o1,
            Self::Fill => 0o3,
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Execute => "executed",
            Self::Enter => "entered",
            Self::Fill => "written to",
        }
    }
}
