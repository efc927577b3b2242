//! Clips that ffmpeg makes when the tests run, each once a run, in a folder that ends with the run.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Runs ffmpeg on our own material and expects success. `~` stands for a space within an argument.
pub fn ffmpeg(folder: &Path, arguments: &str) {
    let status = Command::new("ffmpeg")
        .current_dir(folder)
        .args(["-nostdin", "-hide_banner", "-loglevel", "error", "-y"])
        .args(
            arguments
                .split_whitespace()
                .map(|word| word.replace('~', " ")),
        )
        .status()
        .expect("ffmpeg is installed");
    assert!(status.success(), "ffmpeg {arguments}");
}

/// Moving pictures, as an input.
pub fn moving(size: &str, rate: &str, seconds: f64) -> String {
    format!("-f lavfi -i testsrc2=s={size}:r={rate}:d={seconds}")
}

pub fn tone(seconds: f64) -> String {
    format!("-f lavfi -i sine=f=440:r=48000:d={seconds}")
}

pub const H264: &str = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 60";
pub const AAC: &str = "-c:a aac -ac 2";

/// A clip in a folder of its own.
#[derive(Debug)]
pub struct Clip {
    folder: TempDir,
    name: String,
}

impl Clip {
    /// Makes one by the whole command but its output's name.
    pub fn make(name: &str, arguments: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        ffmpeg(folder.path(), &format!("{arguments} {name}"));
        Self {
            folder,
            name: name.to_owned(),
        }
    }

    /// Makes one from another, which goes in as `-i` first.
    pub fn from(self, name: &str, arguments: &str) -> Self {
        let from = self.name.clone();
        ffmpeg(self.folder.path(), &format!("-i {from} {arguments} {name}"));
        Self {
            name: name.to_owned(),
            ..self
        }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }
}
