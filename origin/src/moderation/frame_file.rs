//! Loads the frames and the poster that ffmpeg wrote. Sizes are bounded, because ffmpeg's input came from a client.

use super::distinct::MAX_DISTINCT;
use crate::clients::classifier::FrameImage;
use std::io;
use std::path::{Path, PathBuf};
use tokio::io::AsyncReadExt;

/// The largest number of images per video: 63 samples at regular intervals, 8 secret samples, the poster, and the
/// frames that differ from all samples.
pub const MAX_FRAMES: usize = 72 + MAX_DISTINCT;
/// A frame of 512 pixels takes about 40 kB.
const MAX_FRAME_BYTES: u64 = 2_000_000;

/// A frame or the poster as a small JPEG on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameFile {
    pub path: PathBuf,
    pub at_ms: u64,
}

pub(super) async fn load_all(frames: &[FrameFile]) -> io::Result<Vec<FrameImage>> {
    let mut images = Vec::with_capacity(frames.len());
    for frame in frames {
        images.push(FrameImage { at_ms: frame.at_ms, jpeg: load(&frame.path).await? });
    }
    Ok(images)
}

async fn load(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = tokio::fs::File::open(path).await?;
    file.take(MAX_FRAME_BYTES + 1).read_to_end(&mut bytes).await?;
    if bytes.len() as u64 > MAX_FRAME_BYTES {
        return Err(io::Error::other("the frame is too large"));
    }
    Ok(bytes)
}
