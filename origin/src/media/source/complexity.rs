//! Measures how many bits the pictures of a source need, by encoding a few frames of it very fast.
//!
//! In: an untrusted file, and which frames to look at. Out: a bit rate. Must not depend on what follows from it.

use crate::media::process::{ffmpeg_input, run_ffmpeg};
use crate::media::{FrameRate, MediaContext, MediaError, files};
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

/// The time limit of one look, which takes a second or two.
const LOOK_TIME: Duration = Duration::from_secs(30);

/// x264's `ultrafast` takes more bits than the renditions' encoder for the same quality: 1.7 to 1.9 times as many for
/// pictures that are hard to compress, which is where the result matters.
const ULTRAFAST_EXCESS: f64 = 1.8;

/// The frames to encode, and how.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Look {
    pub(crate) demuxer: &'static str,
    pub(crate) stream: usize,
    /// The keyframes to begin with, in seconds from the start of the file.
    pub(crate) starts: Vec<f64>,
    /// The number of frames at each of them.
    pub(crate) frames: u64,
    pub(crate) interlaced: bool,
    pub(crate) rate: FrameRate,
    pub(crate) size: (u32, u32),
}

impl Look {
    /// Returns the bit rate in kbit/s that the hardest of these parts needs at the configured quality. Keyframes do not
    /// count, because in an encode they are rare.
    pub(crate) fn measure(&self, context: &MediaContext<'_>) -> Result<f64, MediaError> {
        let measured = run_ffmpeg(context, &self.argv(context), LOOK_TIME, |_| ()).map(|()| self.most_bytes(context));
        self.remove_files(context);
        let frames = self.frames.saturating_sub(1).max(1);
        let seconds = self.rate.seconds_at(frames);
        measured.map(|bytes| as_f64(bytes) * 8.0 / 1000.0 / seconds / ULTRAFAST_EXCESS)
    }

    fn argv(&self, context: &MediaContext<'_>) -> Vec<OsString> {
        let threads = context.tools.threads;
        let mut argv = Vec::new();
        for start in &self.starts {
            // A little later, because a rounded time before the keyframe would find the one before it.
            let seek = ["-noaccurate_seek".to_owned(), "-ss".to_owned(), format!("{:.3}", start + 0.002)];
            argv.extend(seek.map(OsString::from));
            argv.extend(ffmpeg_input(context.source, self.demuxer, threads));
        }
        let factor = context.tools.encoders.h264.quality.factor();
        for part in 0..self.starts.len() {
            let output = format!(
                "-map {part}:{} -vf {} -frames:v {} -c:v libx264 -preset ultrafast -crf {factor} -threads {threads} \
                 -bsf:v filter_units=remove_types=5-8 -f h264 {}",
                self.stream,
                self.filters(),
                self.frames,
                files::look(part)
            );
            argv.extend(output.split_whitespace().map(OsString::from));
        }
        argv
    }

    fn filters(&self) -> String {
        let deinterlace = if self.interlaced { "bwdif=mode=send_field:deint=interlaced," } else { "" };
        let (width, height) = self.size;
        format!("{deinterlace}fps={},scale={width}:{height}:flags=fast_bilinear,format=yuv420p", self.rate)
    }

    fn most_bytes(&self, context: &MediaContext<'_>) -> u64 {
        let parts = (0..self.starts.len()).map(|part| context.folder.join(files::look(part)));
        parts.filter_map(|path| fs::symlink_metadata(path).ok()).map(|file| file.len()).max().unwrap_or(0)
    }

    /// What cannot be removed goes with the private folder.
    fn remove_files(&self, context: &MediaContext<'_>) {
        for part in 0..self.starts.len() {
            let _ = fs::remove_file(context.folder.join(files::look(part)));
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few frames are far smaller than 2^52 bytes")]
fn as_f64(bytes: u64) -> f64 {
    bytes as f64
}
