//! Resolves path arguments to files: a folder stands for the videos in it.

use crate::cli::arguments::PathArguments;
use crate::cli::exit_code::Usage;
use crate::cli::output::Output;
use anyhow::{Context as _, Result};
use client::{FolderEntry, printable_path, videos_in};
use std::path::{Path, PathBuf};

/// The answer to an address in place of a file.
const FETCHES_NO_URLS_HERE: &str =
    "Uploads are sent as a file; the service does not fetch URLs. Download the video first";

/// Returns the files in the order of the arguments, each once.
pub(super) fn find_files(arguments: &PathArguments, output: &Output) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in &arguments.paths {
        if is_web_address(path) {
            return Err(Usage(FETCHES_NO_URLS_HERE.to_owned()).into());
        }
        let found = if path.is_dir() { folder(path, arguments.recursive, output)? } else { vec![path.clone()] };
        files.extend(found);
    }
    let mut seen = std::collections::HashSet::new();
    files.retain(|path| seen.insert(path.clone()));
    if files.is_empty() {
        return Err(
            Usage("There are no videos in this folder. Add --recursive to search its subfolders".to_owned()).into()
        );
    }
    Ok(files)
}

fn is_web_address(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.starts_with("https://") || text.starts_with("http://"))
}

fn folder(path: &Path, is_recursive: bool, output: &Output) -> Result<Vec<PathBuf>> {
    let mut entries = Vec::new();
    read_folder(path, is_recursive, &mut entries)?;
    let videos = videos_in(&entries);
    let others = entries.iter().filter(|entry| entry.is_file).count() - videos.len();
    if others > 0 {
        let name = printable_path(path);
        output.note(&format!("{name}: skipped {others} of its files: their extensions are not those of videos."));
    }
    Ok(videos)
}

/// Links to folders are not followed, because they may form a cycle.
fn read_folder(path: &Path, is_recursive: bool, entries: &mut Vec<FolderEntry>) -> Result<()> {
    let reading = || format!("reading the folder {}", printable_path(path));
    for entry in std::fs::read_dir(path).with_context(reading)? {
        let entry = entry.with_context(reading)?;
        let is_folder = entry.file_type().with_context(reading)?.is_dir();
        if is_folder && is_recursive {
            read_folder(&entry.path(), is_recursive, entries)?;
        }
        entries.push(FolderEntry { is_file: entry.path().is_file(), path: entry.path() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn find(paths: Vec<PathBuf>, recursive: bool) -> Result<Vec<PathBuf>> {
        find_files(&PathArguments { paths, recursive }, &Output::new(true))
    }

    fn names(folder: &Path, is_recursive: bool) -> Vec<String> {
        let files = find(vec![folder.to_owned()], is_recursive).unwrap();
        let name = |path: &PathBuf| path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
        files.iter().map(name).collect()
    }

    #[test]
    fn a_folder_is_searched_once_also_through_links() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("below")).unwrap();
        for name in ["b.mp4", "a.mov", "notes.txt", "below/c.webm"] {
            std::fs::write(root.join(name), "x").unwrap();
        }
        symlink(root, root.join("below/circle")).unwrap();
        symlink(root.join("a.mov"), root.join("link.mp4")).unwrap();
        symlink(root.join("nowhere"), root.join("dangling.mp4")).unwrap();
        assert_eq!(names(root, false), ["a.mov", "b.mp4", "link.mp4"]);
        assert_eq!(names(root, true), ["a.mov", "b.mp4", "below/c.webm", "link.mp4"]);
    }

    #[test]
    fn a_file_that_is_named_is_taken_whatever_its_name_and_only_once() {
        let path = PathBuf::from("/nowhere/notes.txt");
        let files = find(vec![path.clone(), path.clone()], false).unwrap();
        assert_eq!(files, [path]);
        let empty = tempfile::tempdir().unwrap();
        assert!(find(vec![empty.path().to_owned()], false).unwrap_err().is::<Usage>());
    }
}
