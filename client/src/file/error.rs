//! The reasons why a file cannot be sent, with texts that say what to do.

use crate::text::printable_path;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    #[error("{}: there is no such file", printable_path(.0))]
    Missing(PathBuf),
    #[error("{}: this link leads to a file that does not exist", printable_path(.0))]
    DanglingLink(PathBuf),
    #[error("{}: this is a folder. Name its files, or upload the folder with `clipgate upload`", printable_path(.0))]
    Folder(PathBuf),
    #[error("{}: this is not a file. Pipes and devices cannot be uploaded; store the video in a file first", printable_path(.0))]
    NotAFile(PathBuf),
    #[error("{}: the file is empty. Has the recording or download ended?", printable_path(.0))]
    Empty(PathBuf),
    #[error("{}: you are not allowed to read this file. Change its permissions", printable_path(.0))]
    Forbidden(PathBuf),
    #[error("{}: the file has changed since it was checked, so the upload was stopped. Upload it again when no program writes to it", printable_path(.0))]
    Changed(PathBuf),
    #[error("{}: reading the file failed: {error}", printable_path(path))]
    Unreadable { path: PathBuf, error: io::Error },
}

impl FileError {
    /// Returns the reason why the system cannot open or read the file.
    pub(crate) fn reading(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound if path.is_symlink() => Self::DanglingLink(path),
            io::ErrorKind::NotFound => Self::Missing(path),
            io::ErrorKind::PermissionDenied => Self::Forbidden(path),
            io::ErrorKind::IsADirectory => Self::Folder(path),
            _ => Self::Unreadable { path, error },
        }
    }
}
