//! Reads a file once: its hash, and the predicted verdict of the service.

use super::error::FileError;
use crate::refusal::Refusal;
use contract::{ErrorCode, hexadecimal};
use probe::Media;
use probe::judge::{FileJudge, RefusedFile};
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

const CHUNK_BYTES: usize = 256 * 1024;

/// A file that was read to its end.
#[derive(Clone, Debug)]
pub struct JudgedFile {
    path: PathBuf,
    length: u64,
    /// In lower-case hexadecimal.
    sha256: String,
    verdict: Result<Media, Box<Refusal>>,
}

impl JudgedFile {
    /// Reads a file of at most `max_bytes` bytes, and judges it. A larger one is judged by its size alone. `progress`
    /// is called with the number of bytes that were read.
    ///
    /// Blocks until the file is read.
    pub fn read(path: &Path, max_bytes: u64, progress: &dyn Fn(u64)) -> Result<Self, FileError> {
        let (mut file, metadata) = open(path)?;
        let mut hash = Sha256::new();
        let mut judge = Judgement::Open(FileJudge::default());
        if metadata.len() > max_bytes {
            judge = Judgement::Refused(too_large(metadata.len(), max_bytes));
        }
        let (mut chunk, mut length) = (vec![0; CHUNK_BYTES], 0);
        loop {
            let read = file.read(&mut chunk).map_err(|error| FileError::reading(path, error))?;
            let Some(bytes) = chunk.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
            hash.update(bytes);
            judge = judge.feed(bytes);
            length += read as u64;
            progress(length);
        }
        let sha256 = hexadecimal(&hash.finalize());
        Ok(Self { path: path.to_owned(), length, sha256, verdict: judge.finish().map_err(Box::new) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the SHA-256 of the file in lower-case hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Returns the video, or the refusal that the service would send.
    pub fn verdict(&self) -> Result<&Media, &Refusal> {
        self.verdict.as_ref().map_err(|refusal| &**refusal)
    }
}

/// Opens a file that can be sent.
fn open(path: &Path) -> Result<(File, Metadata), FileError> {
    let failed = |error| FileError::reading(path, error);
    // Opening a pipe would wait for its writer, so the kind is checked first.
    let kind = std::fs::metadata(path).map_err(failed)?;
    if kind.is_dir() {
        return Err(FileError::Folder(path.to_owned()));
    }
    if !kind.is_file() {
        return Err(FileError::NotAFile(path.to_owned()));
    }
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.len() == 0 { Err(FileError::Empty(path.to_owned())) } else { Ok((file, metadata)) }
}

/// A verdict that is still being reached.
#[derive(Debug)]
enum Judgement {
    Open(FileJudge),
    Refused(Refusal),
}

impl Judgement {
    fn feed(self, bytes: &[u8]) -> Self {
        match self {
            Self::Open(mut judge) => match judge.feed(bytes) {
                Ok(()) => Self::Open(judge),
                Err(file) => Self::Refused(refused(file)),
            },
            refused @ Self::Refused(_) => refused,
        }
    }

    fn finish(self) -> Result<Media, Refusal> {
        match self {
            Self::Open(judge) => judge.finish().map_err(refused),
            Self::Refused(refusal) => Err(refusal),
        }
    }
}

/// Returns the refusal that the service would send.
fn refused(file: RefusedFile) -> Refusal {
    Refusal::foreseen(file.code, "file", Some(file.detail))
}

/// Returns the refusal of a file that is larger than the service accepts.
fn too_large(bytes: u64, most: u64) -> Refusal {
    let detail = format!(
        "The video has {bytes} bytes; at most {most} are accepted. Encode it with a lower bit rate or resolution."
    );
    Refusal::foreseen(ErrorCode::ContentFileTooLarge, "file", Some(detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    const MOST: u64 = 95_000_000;

    fn in_folder(name: &Path, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    fn read(bytes: &[u8]) -> JudgedFile {
        let (_folder, path) = in_folder(Path::new("a.mp4"), bytes);
        JudgedFile::read(&path, MOST, &|_| {}).unwrap()
    }

    #[test]
    fn a_file_is_judged_by_the_limits_of_the_service() {
        for (milliseconds, code) in [
            (1_999, "content_video_duration_invalid"),
            (2_000, ""),
            (120_000, ""),
            (120_001, "content_video_duration_invalid"),
        ] {
            let file = read(&fixtures::mp4(milliseconds, 2_000, 1));
            assert_eq!(file.verdict().map_or_else(|refusal| refusal.code.as_str(), |_| ""), code, "{milliseconds}");
        }
        let text = read(b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR");
        let refusal = text.verdict().unwrap_err();
        assert_eq!(refusal.to_string(), "Not a supported video: PNG (image). (content_file_invalid_format)");
    }

    #[test]
    fn the_hash_and_length_are_those_of_the_whole_file_even_if_it_is_refused() {
        let bytes = [vec![b'x'; 3 * CHUNK_BYTES], b"end".to_vec()].concat();
        let file = read(&bytes);
        assert!(file.verdict().is_err() && file.length() == bytes.len() as u64);
        assert_eq!(file.sha256(), hexadecimal(&Sha256::digest(&bytes)));
    }

    #[test]
    fn a_file_above_the_limit_is_refused_with_both_sizes() {
        let (_folder, path) = in_folder(Path::new("a.mp4"), &fixtures::mp4(5_000, 5_000, 1));
        let file = JudgedFile::read(&path, 4_999, &|_| {}).unwrap();
        let refusal = file.verdict().unwrap_err();
        assert!(refusal.code == "content_file_too_large" && refusal.detail.contains("5000 bytes"), "{refusal}");
        assert!(refusal.detail.contains("4999"), "{refusal}");
    }

    #[test]
    fn what_is_no_readable_file_is_named() {
        let (folder, path) = in_folder(Path::new("a.mp4"), b"");
        let error = |path: &Path| JudgedFile::read(path, MOST, &|_| {}).unwrap_err();
        assert!(matches!(error(&path), FileError::Empty(_)));
        assert!(matches!(error(folder.path()), FileError::Folder(_)));
        assert!(matches!(error(&folder.path().join("b")), FileError::Missing(_)));
        let link = folder.path().join("link");
        symlink(folder.path().join("b"), &link).unwrap();
        assert!(matches!(error(&link), FileError::DanglingLink(_)));
        assert!(matches!(error(Path::new("/dev/null")), FileError::NotAFile(_)));
        std::fs::remove_file(&link).unwrap();
        symlink(&path, &link).unwrap();
        std::fs::write(&path, fixtures::mp4(5_000, 100, 1)).unwrap();
        assert!(JudgedFile::read(&link, MOST, &|_| {}).unwrap().verdict().is_ok());
    }

    #[test]
    fn a_name_may_have_any_bytes() {
        let name = std::ffi::OsStr::from_bytes(b"a \n\xFF\"';$(x).mp4");
        let (_folder, path) = in_folder(Path::new(name), &fixtures::mp4(5_000, 100, 1));
        assert!(JudgedFile::read(&path, MOST, &|_| {}).unwrap().verdict().is_ok());
    }

    #[test]
    fn an_error_text_says_what_to_do() {
        let texts = [FileError::Empty("a".into()), FileError::Changed("a".into()), FileError::Folder("a".into())];
        for text in texts.map(|error| error.to_string()) {
            assert!(text.starts_with("a: ") && text.len() > 40, "{text}");
        }
    }
}
