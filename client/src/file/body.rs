//! Streams a file to the service: exactly the bytes that were judged, or none.
//!
//! The last chunk is sent only if the whole stream has the hash of the judged file. Otherwise the connection breaks
//! before the form is complete, and the service keeps nothing.

use super::error::FileError;
use super::judged::JudgedFile;
use contract::hexadecimal;
use futures_util::Stream;
use futures_util::stream::try_unfold;
use sha2::{Digest, Sha256};
use std::io::{self, SeekFrom};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt};

/// Large enough for a fast disk and network, and small for any machine's memory.
const CHUNK_BYTES: usize = 128 * 1024;

/// The body of one attempt.
#[derive(Debug)]
pub(crate) struct VerifiedBody {
    file: File,
    path: PathBuf,
    /// The offset of the first byte in the file, and the number of bytes.
    start: u64,
    length: u64,
    /// The hash of a whole file. The service compares that of a file in pieces.
    sha256: Option<String>,
    sent: Arc<AtomicU64>,
    problem: BodyProblem,
}

/// The reason why a body ended early, which the HTTP client's own error does not contain.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyProblem(Arc<Mutex<Option<FileError>>>);

impl BodyProblem {
    pub(crate) fn take(&self) -> Option<FileError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps the problem, and returns the error that breaks the connection.
    fn report(&self, problem: FileError) -> io::Error {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
        io::Error::other("the file cannot be sent")
    }
}

impl VerifiedBody {
    /// Opens the file again, so that each attempt begins at its first byte.
    pub(crate) async fn open(judged: &JudgedFile) -> Result<Self, FileError> {
        let path = judged.path().to_owned();
        let file = File::open(&path).await.map_err(|error| FileError::reading(&path, error))?;
        let (length, sha256) = (judged.length(), Some(judged.sha256().to_owned()));
        Ok(Self { file, path, start: 0, length, sha256, sent: Arc::default(), problem: BodyProblem::default() })
    }

    /// Opens a piece of the file. It is not verified: the service compares the hash of the whole file.
    pub(crate) async fn piece(judged: &JudgedFile, start: u64, length: u64) -> Result<Self, FileError> {
        let mut body = Self::open(judged).await?;
        let moved = body.file.seek(SeekFrom::Start(start)).await;
        moved.map_err(|error| FileError::reading(&body.path, error))?;
        body.sent.store(start, Ordering::Relaxed);
        Ok(Self { start, length, sha256: None, ..body })
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Returns the counter of the bytes that were handed to the network.
    pub(crate) fn sent(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.sent)
    }

    pub(crate) fn problem(&self) -> BodyProblem {
        self.problem.clone()
    }

    pub(crate) fn into_stream(self) -> impl Stream<Item = io::Result<Vec<u8>>> + Send + 'static {
        try_unfold(Reading { body: self, hash: Sha256::new(), read: 0 }, Reading::next)
    }
}

struct Reading {
    body: VerifiedBody,
    hash: Sha256,
    read: u64,
}

impl Reading {
    async fn next(mut self) -> io::Result<Option<(Vec<u8>, Self)>> {
        if self.read == self.body.length {
            return Ok(None);
        }
        let chunk = self.read_chunk().await?;
        self.hash.update(&chunk);
        self.read += chunk.len() as u64;
        if self.read == self.body.length {
            self.verify().await?;
        }
        self.body.sent.store(self.body.start + self.read, Ordering::Relaxed);
        Ok(Some((chunk, self)))
    }

    /// Reads up to a chunk, and never beyond the judged length.
    async fn read_chunk(&mut self) -> io::Result<Vec<u8>> {
        let left = usize::try_from(self.body.length - self.read).unwrap_or(usize::MAX);
        let mut chunk = vec![0; left.min(CHUNK_BYTES)];
        let read = self.body.file.read(&mut chunk).await.map_err(|error| self.unreadable(error))?;
        if read == 0 {
            return Err(self.changed());
        }
        chunk.truncate(read);
        Ok(chunk)
    }

    /// Fails unless the file ends here, with the bytes that were judged.
    async fn verify(&mut self) -> io::Result<()> {
        let Some(sha256) = self.body.sha256.clone() else { return Ok(()) };
        let more = self.body.file.read(&mut [0]).await.map_err(|error| self.unreadable(error))?;
        let hash = hexadecimal(&self.hash.clone().finalize());
        if more == 0 && hash == sha256 { Ok(()) } else { Err(self.changed()) }
    }

    fn changed(&self) -> io::Error {
        self.body.problem.report(FileError::Changed(self.body.path.clone()))
    }

    fn unreadable(&self, error: io::Error) -> io::Error {
        self.body.problem.report(FileError::reading(&self.body.path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::TryStreamExt;
    use std::path::Path;

    fn judged(path: &Path) -> JudgedFile {
        JudgedFile::read(path, u64::MAX, &|_| {}).unwrap()
    }

    /// Returns the bytes that were sent, and the problem that stopped the rest.
    fn sent(judged: &JudgedFile) -> (Vec<u8>, Option<FileError>) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let body = match VerifiedBody::open(judged).await {
                Ok(body) => body,
                Err(error) => return (Vec::new(), Some(error)),
            };
            let problem = body.problem();
            let mut sent = Vec::new();
            let mut stream = std::pin::pin!(body.into_stream());
            while let Ok(Some(chunk)) = stream.try_next().await {
                sent.extend(chunk);
            }
            (sent, problem.take())
        })
    }

    #[test]
    fn the_judged_bytes_are_sent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for length in [1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES] {
            let bytes: Vec<u8> = (0..length).map(|place| place.to_le_bytes()[0]).collect();
            std::fs::write(&path, &bytes).unwrap();
            let (sent, problem) = sent(&judged(&path));
            assert!(sent == bytes && problem.is_none(), "{length} {problem:?}");
        }
    }

    #[test]
    fn a_file_that_has_changed_is_never_sent_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let bytes = vec![1; 2 * CHUNK_BYTES + 10];
        let mut other = bytes.clone();
        other[5] = 2;
        let changes = [other, bytes[..CHUNK_BYTES].to_vec(), [bytes.as_slice(), &[0]].concat(), Vec::new()];
        for changed in changes {
            std::fs::write(&path, &bytes).unwrap();
            let judged = judged(&path);
            std::fs::write(&path, changed).unwrap();
            let (sent, problem) = sent(&judged);
            assert!(sent.len() < bytes.len() && matches!(problem, Some(FileError::Changed(_))), "{problem:?}");
        }
    }

    #[test]
    fn a_file_that_has_vanished_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, b"x").unwrap();
        let judged = judged(&path);
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(sent(&judged).1, Some(FileError::Missing(_))));
    }
}
