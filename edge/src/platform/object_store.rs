//! The object store of uploads and the sweep. In the Worker, it is R2.

use crate::platform::error::PlatformError;
use axum::body::Bytes;
use futures_util::Stream;

/// The largest number of objects that one call deletes.
pub(crate) const DELETE_LENGTH: usize = 1000;

/// The maximum number of names in a list. It is below `DELETE_LENGTH`, so that one call can delete a whole list and the
/// objects of a source.
pub(crate) const LIST_LENGTH: usize = 990;

const _: () = assert!(LIST_LENGTH < DELETE_LENGTH);

/// The maximum number of descriptions in a list. With 8 KiB each, they take less than a megabyte.
pub(crate) const DESCRIPTIONS_LENGTH: usize = 100;

/// A buffer from which the platform can hash and store bytes without copying them again.
pub(crate) trait Segment {
    fn append(&mut self, bytes: &[u8]);
    fn clear(&mut self);
    fn length(&self) -> usize;
    /// Returns how many bytes the segment has memory for.
    fn capacity(&self) -> usize;
}

/// An uploaded R2 part of an unfinished object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredPart {
    pub number: u16,
    pub etag: String,
}

/// The number of a part, and the multipart upload that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartAddress<'a> {
    pub key: &'a str,
    pub multipart_id: &'a str,
    pub number: u16,
}

/// An object whose content is its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DescribedObject {
    pub key: String,
    /// `None` if the object has no description.
    pub description: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DescriptionList {
    pub objects: Vec<DescribedObject>,
    /// Whether more objects follow.
    pub has_more: bool,
}

/// Bytes of an object. Never empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteRange {
    pub start: u64,
    pub length: u64,
}

/// A part or an object of known length that is stored while its bytes arrive. Unless all of them are written, nothing
/// is stored.
pub(crate) trait ObjectWriter<S> {
    /// The pending storing of the written bytes, which makes progress even if nothing polls it. Returns the entity tag.
    type Storing: Future<Output = Result<String, PlatformError>>;

    /// Writes the bytes. Waits until the store has taken them, so that a slow store slows the client down instead of
    /// filling the memory.
    async fn write(&mut self, bytes: &S) -> Result<(), PlatformError>;
    /// Ends the bytes.
    fn finish(self) -> Self::Storing;
}

/// An object store. Names of objects are never reused, so every operation may be repeated.
pub(crate) trait ObjectStore {
    type Segment: Segment;
    type Writer: ObjectWriter<Self::Segment>;
    /// A part that is being sent. It makes progress even if nothing polls it. When it is stored, it returns its entity
    /// tag and its segment.
    type Sending: Future<Output = Result<(String, Self::Segment), PlatformError>>;
    /// The bytes of an object, in chunks.
    type Reading: Stream<Item = Result<Bytes, PlatformError>> + Unpin;

    fn segment(&self, capacity: usize) -> Self::Segment;
    /// Stores an object that is in memory.
    async fn put(&self, key: &str, segments: &[Self::Segment]) -> Result<(), PlatformError>;
    /// Starts a multipart upload and returns its id.
    async fn start_multipart(&self, key: &str) -> Result<String, PlatformError>;
    fn send_part(&self, part: PartAddress<'_>, bytes: Self::Segment) -> Self::Sending;
    /// Opens a part of exactly `length` bytes.
    fn open_part(&self, part: PartAddress<'_>, length: u64) -> Result<Self::Writer, PlatformError>;
    /// Opens an object of exactly `length` bytes.
    fn open_object(&self, key: &str, length: u64) -> Result<Self::Writer, PlatformError>;
    /// Stores a range of an object's bytes as a part, and returns its entity tag.
    async fn copy_to_part(&self, from: &str, bytes: ByteRange, to: PartAddress<'_>) -> Result<String, PlatformError>;
    /// Stores a range of an object's bytes as another object.
    async fn copy_to_object(&self, from: &str, bytes: ByteRange, to: &str) -> Result<(), PlatformError>;
    async fn complete(&self, key: &str, multipart_id: &str, parts: &[StoredPart]) -> Result<(), PlatformError>;
    /// Aborts a multipart upload. Succeeds if it has already been aborted or completed.
    async fn abort(&self, key: &str, multipart_id: &str) -> Result<(), PlatformError>;
    /// Deletes at most `DELETE_LENGTH` objects. Succeeds for objects that do not exist.
    async fn delete(&self, keys: &[String]) -> Result<(), PlatformError>;
    /// Returns a range of an object's bytes as they are read.
    async fn read(&self, key: &str, bytes: ByteRange) -> Result<Self::Reading, PlatformError>;
    /// Returns the bytes of a small object, or `None` if it does not exist.
    async fn read_whole(&self, key: &str) -> Result<Option<Vec<u8>>, PlatformError>;
    /// Returns the names and sizes of the first objects whose names begin with the prefix, at most `LIST_LENGTH`.
    async fn list_sizes(&self, prefix: &str) -> Result<Vec<(String, u64)>, PlatformError>;
    /// Returns the first names that begin with the prefix, at most `LIST_LENGTH`.
    async fn list(&self, prefix: &str) -> Result<Vec<String>, PlatformError>;
    /// Returns the first names that begin with the prefix and come after `after`, at most `LIST_LENGTH`.
    async fn list_after(&self, prefix: &str, after: &str) -> Result<Vec<String>, PlatformError>;
    /// Stores an empty object with a description, which is ASCII and has at most 8,000 bytes.
    async fn put_description(&self, key: &str, description: &str) -> Result<(), PlatformError>;
    /// Returns the descriptions of the first objects whose names begin with the prefix and come after `after`, at most
    /// `DESCRIPTIONS_LENGTH`.
    async fn list_descriptions(&self, prefix: &str, after: &str) -> Result<DescriptionList, PlatformError>;
}
