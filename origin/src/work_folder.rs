//! Where jobs under way keep their files: one folder a job, gone when the job is, whatever ended it.
//!
//! Beside them lies the lease of each message that is not settled yet. An origin that was killed finds them at its next
//! start, gives the messages back, and nobody has to wait until the queue's own patience is over.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

const LOCK: &str = "lock";
const LEASE: &str = "lease-";

/// The folder of all of an origin's jobs; held by a lock, so that no second origin clears it.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    _held: File,
}

#[derive(Debug, thiserror::Error)]
pub enum WorkFolderError {
    #[error(
        "the work folder {0} belongs to another origin that runs; give each its own --work-dir"
    )]
    Held(PathBuf),
    #[error("the work folder {path}: {error}")]
    Disk { path: PathBuf, error: io::Error },
}

impl WorkFolder {
    pub fn open(path: &Path) -> Result<Self, WorkFolderError> {
        let disk = |error| WorkFolderError::Disk {
            path: path.to_owned(),
            error,
        };
        fs::create_dir_all(path).map_err(disk)?;
        let held = File::create(path.join(LOCK)).map_err(disk)?;
        match held.try_lock() {
            Ok(()) => Ok(Self {
                path: path.canonicalize().map_err(disk)?,
                _held: held,
            }),
            Err(TryLockError::WouldBlock) => Err(WorkFolderError::Held(path.to_owned())),
            Err(TryLockError::Error(error)) => Err(disk(error)),
        }
    }

    /// Removes the files that jobs of an earlier run left.
    pub fn clear(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }

    /// The leases of the messages that an earlier run had. They stay on the disk until they are removed one by one: a
    /// second kill must not lose them.
    pub fn leases(&self) -> io::Result<Vec<KeptLease>> {
        let mut leases = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            if name.as_encoded_bytes().starts_with(LEASE.as_bytes()) {
                let lease = fs::read_to_string(&path)?;
                leases.push(KeptLease { lease, path });
            }
        }
        Ok(leases)
    }

    /// Keeps the lease for the next start, until what is returned is dropped.
    pub fn remember(&self, lease: &str) -> io::Result<TempPath> {
        let mut file = tempfile::Builder::new()
            .prefix(LEASE)
            .tempfile_in(&self.path)?;
        file.write_all(lease.as_bytes())?;
        Ok(file.into_temp_path())
    }

    /// A new folder for a job.
    pub fn job(&self) -> io::Result<JobFolder> {
        let folder = tempfile::Builder::new()
            .prefix("job-")
            // ffmpeg runs as a user without rights where the service is root: it must come through here.
            .permissions(Permissions::from_mode(0o711))
            .tempdir_in(&self.path)?;
        let work = folder.path().join("work");
        fs::create_dir(&work)?;
        Ok(JobFolder { folder, work })
    }

    /// The bytes that are free on its disk.
    pub fn free_bytes(&self) -> io::Result<u64> {
        let disk = nix::sys::statvfs::statvfs(&self.path)?;
        Ok(disk.blocks_available() * disk.fragment_size())
    }
}

/// The lease of a message that an earlier run had.
#[derive(Debug)]
pub struct KeptLease {
    /// Empty when the kill came before it was written.
    pub lease: String,
    path: PathBuf,
}

impl KeptLease {
    /// Its message is settled.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(self.path)
    }
}

/// A job's own folder; it goes when this goes.
#[derive(Debug)]
pub struct JobFolder {
    folder: tempfile::TempDir,
    work: PathBuf,
}

impl JobFolder {
    pub fn source(&self) -> PathBuf {
        self.folder.path().join("source")
    }

    pub fn picture(&self) -> PathBuf {
        self.folder.path().join("picture")
    }

    /// What ffmpeg may write to; the source is outside of it.
    pub fn work(&self) -> &Path {
        &self.work
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jobs_folder_goes_with_the_job() {
        let root = tempfile::tempdir().unwrap();
        let folder = WorkFolder::open(root.path()).unwrap();
        let (job, lease) = (folder.job().unwrap(), folder.remember("lease").unwrap());
        fs::write(job.source(), "x").unwrap();
        fs::write(job.work().join("out"), "x").unwrap();
        drop((job, lease));
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_origin_left_is_cleared_and_its_leases_are_known_until_they_are_settled() {
        let root = tempfile::tempdir().unwrap();
        let folder = WorkFolder::open(root.path()).unwrap();
        for lease in ["a", "b", ""] {
            std::mem::forget(folder.job().unwrap());
            std::mem::forget(folder.remember(lease).unwrap());
        }
        for _ in 0..2 {
            folder.clear().unwrap();
            let mut leases = folder.leases().unwrap();
            leases.sort_by(|one, other| one.lease.cmp(&other.lease));
            let texts: Vec<_> = leases.iter().map(|kept| kept.lease.as_str()).collect();
            assert_eq!(texts, ["", "a", "b"]);
        }
        for kept in folder.leases().unwrap() {
            kept.remove().unwrap();
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn two_origins_never_share_a_folder() {
        let root = tempfile::tempdir().unwrap();
        let first = WorkFolder::open(root.path()).unwrap();
        assert!(matches!(
            WorkFolder::open(root.path()),
            Err(WorkFolderError::Held(_))
        ));
        drop(first);
        assert!(WorkFolder::open(root.path()).is_ok());
    }
}
