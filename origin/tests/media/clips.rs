//! Clips that ffmpeg makes when the tests run, in folders that are removed after the run.

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Runs ffmpeg on trusted files and requires success. `~` stands for a space within an argument.
pub(crate) fn ffmpeg(folder: &Path, arguments: &str) {
    let status = Command::new("ffmpeg")
        .current_dir(folder)
        .args(["-nostdin", "-hide_banner", "-loglevel", "error", "-y"])
        .args(arguments.split_whitespace().map(|word| word.replace('~', " ")))
        .status()
        .expect("ffmpeg is installed");
    assert!(status.success(), "ffmpeg {arguments}");
}

/// Returns an input with moving pictures.
pub(crate) fn moving(size: &str, rate: &str, seconds: f64) -> String {
    format!("-f lavfi -i testsrc2=s={size}:r={rate}:d={seconds}")
}

/// Returns an input with a quiet tone.
pub(crate) fn tone(seconds: f64) -> String {
    format!("-f lavfi -i sine=f=440:r=48000:d={seconds}")
}

pub(crate) const H264: &str = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 60";
pub(crate) const AAC: &str = "-c:a aac -ac 2";

/// A clip in its own folder.
#[derive(Debug)]
pub(crate) struct Clip {
    folder: TempDir,
    name: String,
}

impl Clip {
    /// Runs ffmpeg with these arguments, followed by the name of the output.
    pub(crate) fn new(name: &str, arguments: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        ffmpeg(folder.path(), &format!("{arguments} {name}"));
        Self { folder, name: name.to_owned() }
    }

    /// Makes 2.5 s of moving pictures of 160x90 with a quiet tone, as H.264 and AAC.
    pub(crate) fn with_sound(name: &str, options: &str) -> Self {
        let inputs = format!("{} {}", moving("160x90", "30", 2.5), tone(2.5));
        Self::new(name, &format!("{inputs} {H264} {AAC} {options}"))
    }

    /// Converts this clip with these arguments.
    pub(crate) fn convert(self, name: &str, arguments: &str) -> Self {
        let input = self.name.clone();
        ffmpeg(self.folder.path(), &format!("-i {input} {arguments} {name}"));
        Self { name: name.to_owned(), ..self }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Overwrites the second half of the frames of an MP4 file with zeros.
    pub(crate) fn erase_second_half(&self) {
        self.edit(|bytes| {
            let (start, end) = (position(bytes, *b"mdat"), position(bytes, *b"moov"));
            bytes[usize::midpoint(start, end)..end - 4].fill(0);
        });
    }

    /// Changes the bytes of the file.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = std::fs::read(self.path()).unwrap();
        change(&mut bytes);
        std::fs::write(self.path(), bytes).unwrap();
    }
}

/// Returns where these four bytes first occur.
pub(crate) fn position(bytes: &[u8], four: [u8; 4]) -> usize {
    bytes.windows(4).position(|window| *window == four).unwrap()
}
