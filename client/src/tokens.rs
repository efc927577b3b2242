//! The upload tokens on disk: one for each combination of file contents, service and key.
//!
//! The token is synced to disk before the first byte is sent. After any failure, the next attempt therefore sends the
//! same token, and the service posts the file once. A file's first token is derived from its hash, so that losing the
//! folder does not post it twice.

use crate::service::{ApiKey, ServiceUrl};
use crate::text_hash::hexadecimal_sha256;
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// The pause between two attempts to take a lock that another program holds.
const LOCK_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    #[error("The folder of the upload tokens, {}, cannot be used: {error}. Nothing was sent, because an interrupted upload could then be posted twice", folder.display())]
    Unusable { folder: PathBuf, error: io::Error },
    #[error("The record of an upload, {}, is damaged. Check with `clipgate list` whether the video was uploaded, then delete the record", .0.display())]
    Damaged(PathBuf),
    #[error("The system has no random numbers: {0}")]
    NoRandomness(String),
}

/// The name of a file's record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordId(String);

impl RecordId {
    pub fn new(service: &ServiceUrl, key: &ApiKey, file_sha256: &str) -> Self {
        Self(hexadecimal_sha256(&[&service.to_string(), &key.fingerprint(), file_sha256]))
    }

    /// Returns the name of the record of the file's test uploads, which must not be taken for its upload.
    #[must_use]
    pub fn of_tests(self) -> Self {
        Self(hexadecimal_sha256(&[&self.0, "test"]))
    }
}

/// The stored state of a file's upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadRecord {
    pub token: String,
    pub state: UploadState,
    /// The secret location of an unfinished upload in pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum UploadState {
    /// The upload may or may not have arrived.
    Pending,
    Uploaded {
        content_uuid: String,
        fields_sha256: String,
    },
    /// The token belongs to a video that has other fields, was deleted or has failed.
    Spent,
}

impl UploadRecord {
    /// Returns the first record of a file. The token is derived from the file.
    pub fn first(file_sha256: &str) -> Self {
        Self { token: token_of(file_sha256), state: UploadState::Pending, location: None }
    }

    /// Returns a record with an unused token.
    pub fn fresh() -> Result<Self, StoreError> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(|error| StoreError::NoRandomness(error.to_string()))?;
        Ok(Self { token: token_of(&contract::hexadecimal(&random)), state: UploadState::Pending, location: None })
    }
}

/// Returns a UUID (version 8, whose bits are free) from the beginning of a hash.
fn token_of(hash: &str) -> String {
    let part = |range: std::ops::Range<usize>| hash.get(range).unwrap_or_default();
    format!("{}-{}-8{}-a{}-{}", part(0..8), part(8..12), part(13..16), part(17..20), part(20..32))
}

/// The folder of the records.
#[derive(Clone, Debug)]
pub struct TokenStore {
    folder: PathBuf,
}

/// A record that no other program can use until this is dropped.
#[derive(Debug)]
pub struct LockedRecord {
    path: PathBuf,
    _lock: File,
}

impl TokenStore {
    /// Opens the folder, and creates it if it is missing.
    pub fn open(folder: PathBuf) -> Result<Self, StoreError> {
        let created = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        created.map_err(|error| StoreError::Unusable { folder: folder.clone(), error })?;
        Ok(Self { folder })
    }

    /// Waits until no other program uses the record, and locks it.
    pub async fn lock(&self, id: &RecordId) -> Result<LockedRecord, StoreError> {
        let unusable = |error| StoreError::Unusable { folder: self.folder.clone(), error };
        let name = self.folder.join(format!("{}.lock", id.0));
        let lock = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(name);
        let lock = lock.map_err(unusable)?;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_INTERVAL).await,
                Err(TryLockError::Error(error)) => return Err(unusable(error)),
            }
        }
        Ok(LockedRecord { path: self.folder.join(format!("{}.json", id.0)), _lock: lock })
    }
}

impl LockedRecord {
    pub fn read(&self) -> Result<Option<UploadRecord>, StoreError> {
        match std::fs::read(&self.path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|_| StoreError::Damaged(self.path.clone())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.unusable(error)),
        }
    }

    /// Replaces the record. After a crash or power failure, it is the old or the new one, never a mixture.
    pub fn write(&self, record: &UploadRecord) -> Result<(), StoreError> {
        self.replace(record).map_err(|error| self.unusable(error))
    }

    fn replace(&self, record: &UploadRecord) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        // Temporary files are private (mode 0600).
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec(record)?)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        // The rename is durable only once the folder is synced.
        File::open(folder)?.sync_all()
    }

    fn unusable(&self, error: io::Error) -> StoreError {
        StoreError::Unusable { folder: self.path.parent().unwrap_or(Path::new(".")).to_owned(), error }
    }
}

#[cfg(test)]
mod tests;
