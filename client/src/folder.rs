//! Selects the files of a folder to upload.
//!
//! Pure: the shell reads the folder.

use contract::limits::VIDEO_EXTENSIONS;
use std::path::{Path, PathBuf};

/// Further extensions of the formats that the service accepts.
const OTHER_EXTENSIONS: [&str; 10] = ["m4v", "qt", "3g2", "mpg", "ts", "mts", "m2ts", "asf", "ogv", "vob"];

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    pub path: PathBuf,
    /// Whether it is a file, or a link that leads to one.
    pub is_file: bool,
}

/// Returns the videos among the entries in the order of their names, so that every run has the same order. Hidden files
/// are left out: many programs keep half-finished downloads in them.
pub fn videos_in(entries: &[FolderEntry]) -> Vec<PathBuf> {
    let is_video = |entry: &&FolderEntry| entry.is_file && !is_hidden(&entry.path) && is_video_name(&entry.path);
    let mut videos: Vec<PathBuf> = entries.iter().filter(is_video).map(|entry| entry.path.clone()).collect();
    videos.sort();
    videos.dedup();
    videos
}

/// Whether the name has the extension of a video. The bytes decide what the file really is.
pub fn is_video_name(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    VIDEO_EXTENSIONS.iter().chain(&OTHER_EXTENSIONS).any(|known| *known == extension)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(path: &str) -> FolderEntry {
        FolderEntry { path: path.into(), is_file: true }
    }

    #[test]
    fn a_folder_gives_its_visible_videos_in_order() {
        let entries = [
            file("f/b.MP4"),
            file("f/a.webm"),
            file("f/notes.txt"),
            file("f/.c.mp4"),
            file("f/mp4"),
            FolderEntry { path: "f/d.mp4".into(), is_file: false },
            file("f/Ä ö.mkv"),
        ];
        let expected: Vec<PathBuf> = ["f/a.webm", "f/b.MP4", "f/Ä ö.mkv"].map(PathBuf::from).into();
        assert_eq!(videos_in(&entries), expected);
    }

    proptest! {
        #[test]
        fn the_plan_does_not_depend_on_the_order_and_names_each_file_once(
            mut names in proptest::collection::vec("[a-c.]{0,4}\\.(mp4|txt|MOV)", 0..20), seed: u64,
        ) {
            let plan = |names: &[String]| videos_in(&names.iter().map(|name| file(name)).collect::<Vec<_>>());
            let first = plan(&names);
            let turns = usize::try_from(seed % 20).unwrap_or_default().min(names.len());
            names.rotate_left(turns);
            names.reverse();
            prop_assert_eq!(&plan(&names), &first);
            prop_assert!(first.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
