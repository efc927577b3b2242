//! The frames of a video and its poster, read from the folder that they were written to. Bounded, because ffmpeg was fed by a stranger.

use std::io;
use std::path::{Path, PathBuf};
use tokio::io::AsyncReadExt;

/// No video is judged by more frames, its poster among them.
pub const MOST_FRAMES: usize = 64;
/// A frame of 512 pixels has some 40 kB.
const MOST_BYTES: u64 = 2_000_000;

/// A frame or the poster, as the media part made it: a small JPEG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub path: PathBuf,
    pub at_ms: u64,
}

/// A frame in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub at_ms: u64,
    pub jpeg: Vec<u8>,
}

pub async fn read_all(frames: &[Frame]) -> io::Result<Vec<Picture>> {
    let mut pictures = Vec::with_capacity(frames.len());
    for frame in frames {
        pictures.push(Picture {
            at_ms: frame.at_ms,
            jpeg: read(&frame.path).await?,
        });
    }
    Ok(pictures)
}

async fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = tokio::fs::File::open(path).await?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).await?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::other("a frame is too large"));
    }
    Ok(bytes)
}
