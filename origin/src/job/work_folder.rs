//! The folder on disk for running jobs: one subfolder per job, which is removed with the job, however it ends.
//!
//! Next to the subfolders, the lease of each unsettled message is stored. After a kill, the origin finds the leases at
//! its next start and returns the messages, so that nobody waits for their visibility timeout.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

const LOCK_FILE: &str = "lock";
const LEASE_PREFIX: &str = "lease-";

/// The folder of all jobs of one origin. A lock keeps a second origin from using and clearing it.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    _lock: File,
}

#[derive(Debug, thiserror::Error)]
pub enum WorkFolderError {
    #[error("the work folder {0} is in use by another origin. Give each origin its own --work-dir")]
    InUse(PathBuf),
    #[error("the work folder {path} is unusable: {error}")]
    Disk { path: PathBuf, error: io::Error },
}

impl WorkFolder {
    /// Creates the folder if necessary, and locks it.
    pub fn open(path: &Path) -> Result<Self, WorkFolderError> {
        let disk = |error| WorkFolderError::Disk { path: path.to_owned(), error };
        fs::create_dir_all(path).map_err(disk)?;
        let lock = File::create(path.join(LOCK_FILE)).map_err(disk)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.canonicalize().map_err(disk)?, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(WorkFolderError::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) => Err(disk(error)),
        }
    }

    /// Removes the subfolders that an earlier run left behind.
    pub fn remove_leftover_jobs(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }

    /// Returns the leases that an earlier run left behind. They stay on disk until each is removed, so that a second
    /// kill does not lose them.
    pub fn leftover_leases(&self) -> io::Result<Vec<StoredLease>> {
        let mut leases = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            if name.as_encoded_bytes().starts_with(LEASE_PREFIX.as_bytes()) {
                let lease = fs::read_to_string(&path)?;
                leases.push(StoredLease { lease, path });
            }
        }
        Ok(leases)
    }

    /// Stores a lease on disk until the returned value is dropped.
    pub fn store_lease(&self, lease: &str) -> io::Result<TempPath> {
        let mut file = tempfile::Builder::new().prefix(LEASE_PREFIX).tempfile_in(&self.path)?;
        file.write_all(lease.as_bytes())?;
        Ok(file.into_temp_path())
    }

    /// Creates the folder of one job.
    pub fn create_job_folder(&self) -> io::Result<JobFolder> {
        let folder = tempfile::Builder::new()
            .prefix("job-")
            // If the service is root, ffmpeg runs as an unprivileged user, which must be able to pass through.
            .permissions(Permissions::from_mode(0o711))
            .tempdir_in(&self.path)?;
        let scratch = folder.path().join("work");
        fs::create_dir(&scratch)?;
        Ok(JobFolder { folder, scratch })
    }

    /// Returns the free space of the disk that holds the folder.
    pub fn free_bytes(&self) -> io::Result<u64> {
        let disk = nix::sys::statvfs::statvfs(&self.path)?;
        Ok(disk.blocks_available() * disk.fragment_size())
    }
}

/// The lease of a message that an earlier run did not settle.
#[derive(Debug)]
pub struct StoredLease {
    /// Empty if the origin was killed before it was written.
    pub lease: String,
    path: PathBuf,
}

impl StoredLease {
    /// Removes the lease from disk. Its message must be settled.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(self.path)
    }
}

/// The folder of one job. Dropping this value removes it.
#[derive(Debug)]
pub struct JobFolder {
    folder: tempfile::TempDir,
    scratch: PathBuf,
}

impl JobFolder {
    /// Returns the path of the downloaded source.
    pub fn source(&self) -> PathBuf {
        self.folder.path().join("source")
    }

    /// Returns the path of the thumbnail that the client sent, if any.
    pub fn thumbnail(&self) -> PathBuf {
        self.folder.path().join("picture")
    }

    /// Returns the path of an object that is read into memory.
    pub fn small_object(&self) -> PathBuf {
        self.folder.path().join("small-object")
    }

    /// Returns the path of the only folder that ffmpeg may write to. The source lies outside it.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_folder_and_a_lease_are_removed_when_they_are_dropped() {
        let root = tempfile::tempdir().unwrap();
        let folder = WorkFolder::open(root.path()).unwrap();
        let (job, lease) = (folder.create_job_folder().unwrap(), folder.store_lease("lease").unwrap());
        fs::write(job.source(), "x").unwrap();
        fs::write(job.scratch().join("out"), "x").unwrap();
        drop((job, lease));
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn after_a_kill_the_job_folders_are_removed_and_the_leases_remain_until_they_are_settled() {
        let root = tempfile::tempdir().unwrap();
        let folder = WorkFolder::open(root.path()).unwrap();
        for lease in ["a", "b", ""] {
            std::mem::forget(folder.create_job_folder().unwrap());
            std::mem::forget(folder.store_lease(lease).unwrap());
        }
        for _ in 0..2 {
            folder.remove_leftover_jobs().unwrap();
            let mut leases = folder.leftover_leases().unwrap();
            leases.sort_by(|one, other| one.lease.cmp(&other.lease));
            let texts: Vec<_> = leases.iter().map(|stored| stored.lease.as_str()).collect();
            assert_eq!(texts, ["", "a", "b"]);
        }
        for stored in folder.leftover_leases().unwrap() {
            stored.remove().unwrap();
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn two_origins_never_share_a_work_folder() {
        let root = tempfile::tempdir().unwrap();
        let first = WorkFolder::open(root.path()).unwrap();
        assert!(matches!(WorkFolder::open(root.path()), Err(WorkFolderError::InUse(_))));
        drop(first);
        assert!(WorkFolder::open(root.path()).is_ok());
    }
}
