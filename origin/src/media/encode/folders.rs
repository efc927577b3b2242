//! The folders that ffmpeg writes to: created empty before the encode, and searched for links after it.

use crate::media::MediaError;
use crate::media::files::{CANDIDATES, DISTINCT_FRAMES, FRAMES, OBSERVATIONS, OUT, RUNGS};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Creates the folders. Removes what an earlier attempt left behind, so that it cannot be mistaken for a result.
pub fn create(folder: &Path) -> Result<(), MediaError> {
    for name in [OUT, RUNGS, FRAMES, DISTINCT_FRAMES, CANDIDATES, OBSERVATIONS] {
        let path = folder.join(name);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(MediaError::io("clearing a folder", &error));
            }
            _ => {}
        }
        let deepest = if name == OUT { path.join("hls") } else { path };
        fs::create_dir_all(deepest).map_err(|error| MediaError::io("creating a folder", &error))?;
    }
    Ok(())
}

/// Fails if anything among the outputs is not a plain file. A source that exploits a decoder could replace a picture
/// with a link, and this program, which may read and write more than ffmpeg, would follow it.
pub(super) fn reject_links(folder: &Path) -> Result<(), MediaError> {
    let io_error = |error: io::Error| MediaError::io("looking at the outputs", &error);
    for entry in fs::read_dir(folder).map_err(io_error)? {
        let entry = entry.map_err(io_error)?;
        let kind = entry.file_type().map_err(io_error)?;
        if kind.is_dir() {
            reject_links(&entry.path())?;
        } else if !kind.is_file() {
            return Err(MediaError::Permanent("ffmpeg wrote something that is not a plain file".into()));
        }
    }
    Ok(())
}

/// Returns the files in a folder, in the order of their numbers.
pub(super) fn list(folder: &Path) -> Result<Vec<PathBuf>, MediaError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| MediaError::io("listing frames", &error))?;
    let mut files: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_among_the_outputs_fails_the_job() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join(OUT);
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("plain"), "").unwrap();
        assert!(reject_links(folder.path()).is_ok());
        std::os::unix::fs::symlink("/etc/hostname", inner.join("poster.jpg")).unwrap();
        assert!(matches!(reject_links(folder.path()), Err(MediaError::Permanent(_))));
    }

    #[test]
    fn nothing_of_an_earlier_attempt_remains() {
        let folder = tempfile::tempdir().unwrap();
        create(folder.path()).unwrap();
        let left_over = folder.path().join(FRAMES).join("0001.jpg");
        fs::write(&left_over, "").unwrap();
        create(folder.path()).unwrap();
        assert!(!left_over.exists() && folder.path().join(OUT).join("hls").is_dir());
    }
}
