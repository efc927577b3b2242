//! The narrow doors through which intake and sweep touch the world. Their order is the logic, so each is a trait
//! that a test can make fail before, after, or with its answer lost.

use crate::database::Database;

/// What happened is unknown: the operation may have been applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlatformError(pub String);

/// Bytes on their way into the object store, in whatever memory the platform sends them from.
pub trait PartBuffer {
    fn append(&mut self, bytes: &[u8]);
    fn clear(&mut self);
    fn length(&self) -> usize;
}

/// One part of an unfinished object, as the store named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPart {
    pub number: u16,
    pub etag: String,
}

/// How many names a list has at most.
pub const LIST_LENGTH: usize = 1000;

/// R2, as far as uploads and the sweep need it. Names of objects are never reused, so every operation may be repeated.
pub trait ObjectStore {
    type Buffer: PartBuffer;
    /// A part on its way: it moves while nobody waits for it, and gives its buffer back when it has arrived.
    type Sending: Future<Output = Result<(StoredPart, Self::Buffer), PlatformError>>;

    fn buffer(&self, capacity: usize) -> Self::Buffer;
    async fn put(&self, key: &str, bytes: &Self::Buffer) -> Result<(), PlatformError>;
    async fn start_multipart(&self, key: &str) -> Result<String, PlatformError>;
    fn send_part(
        &self,
        key: &str,
        multipart_id: &str,
        number: u16,
        bytes: Self::Buffer,
    ) -> Self::Sending;
    async fn complete(
        &self,
        key: &str,
        multipart_id: &str,
        parts: &[StoredPart],
    ) -> Result<(), PlatformError>;
    /// Aborting what is not there any more is no failure.
    async fn abort(&self, key: &str, multipart_id: &str) -> Result<(), PlatformError>;
    /// Deleting what is not there is no failure.
    async fn delete(&self, keys: &[String]) -> Result<(), PlatformError>;
    /// The first names, at most `LIST_LENGTH`, that begin with the prefix.
    async fn list(&self, prefix: &str) -> Result<Vec<String>, PlatformError>;
}

/// SHA-256 of a stream, computed beside it.
pub trait Digest<Buffer> {
    /// Takes what a buffer holds now; when this is done, the buffer may change.
    async fn update(&mut self, bytes: &Buffer) -> Result<(), PlatformError>;
    /// Lower-case hexadecimal.
    async fn finish(self) -> Result<String, PlatformError>;
}

/// Jobs for the origins; delivery is at least once, so a job may be sent twice.
pub trait JobQueue {
    async fn send(&self, message: &str) -> Result<(), PlatformError>;
}

/// Everything that an upload and the sweep have at hand.
pub trait Platform {
    type Database: Database;
    type Objects: ObjectStore;
    type Digest: Digest<<Self::Objects as ObjectStore>::Buffer>;
    type Jobs: JobQueue;

    fn database(&self) -> &Self::Database;
    fn objects(&self) -> &Self::Objects;
    fn jobs(&self) -> &Self::Jobs;
    fn digest(&self) -> Self::Digest;
    fn now_unix(&self) -> u64;
}
