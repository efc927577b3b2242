//! Measures how many bits the pictures of a source need, by encoding a few frames of it very fast.
//!
//! In: an untrusted file, and which frames to look at. Out: a bit rate. Must not depend on what follows from it.

use crate::media::process::{ffmpeg_input, run_ffmpeg};
use crate::media::{FrameRate, MediaContext, MediaError, files};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The time limit of one look, which takes a second or two.
const LOOK_TIME: Duration = Duration::from_secs(30);

/// x264's `ultrafast` takes more bits than the renditions' encoder for the same quality: 1.7 to 1.9 times as many for
/// pictures that are hard to compress, which is where the result matters.
const ULTRAFAST_EXCESS: f64 = 1.8;

/// The amount by which the second encode raises the configured constant rate factor. Ordinary pictures then need about
/// 2.4 times fewer bits and noise 20 times fewer. So the two encodes show how much a higher factor saves.
pub(crate) const COARSER: u8 = 6;

/// The bit rates in kbit/s that a part of a video needs, at the size of the first rung.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Demand {
    /// The demand at the configured quality.
    pub(crate) kbps: f64,
    /// The demand with a constant rate factor that is higher by [`COARSER`].
    pub(crate) coarse_kbps: f64,
}

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
    /// Returns the demand of each part. Keyframes do not count, because in an encode they are rare.
    pub(crate) fn measure(&self, context: &MediaContext<'_>) -> Result<Vec<Demand>, MediaError> {
        let measured = run_ffmpeg(context, &self.argv(context), LOOK_TIME, |_| ());
        let demands = (0..self.starts.len()).filter_map(|part| {
            let [kbps, coarse_kbps] = [false, true].map(|is_coarse| self.take_kbps(context, part, is_coarse));
            Some(Demand { kbps: kbps?, coarse_kbps: coarse_kbps? })
        });
        let demands = demands.collect();
        measured.map(|()| demands)
    }

    fn argv(&self, context: &MediaContext<'_>) -> Vec<OsString> {
        let mut argv = Vec::new();
        for start in &self.starts {
            // A little later, because a rounded time before the keyframe would find the one before it.
            let seek = ["-noaccurate_seek".to_owned(), "-ss".to_owned(), format!("{:.3}", start + 0.002)];
            argv.extend(seek.map(OsString::from));
            argv.extend(ffmpeg_input(context.source, self.demuxer, context.tools.threads));
        }
        for part in 0..self.starts.len() {
            for is_coarse in [false, true] {
                let output = self.output(context, part, is_coarse);
                argv.extend(output.split_whitespace().map(OsString::from));
            }
        }
        argv
    }

    fn output(&self, context: &MediaContext<'_>, part: usize, is_coarse: bool) -> String {
        let factor = context.tools.encoders.h264.quality.factor() + if is_coarse { COARSER } else { 0 };
        // Each part has two encoders.
        let threads = context.tools.threads.div_ceil(2);
        format!(
            "-map {part}:{} -vf {} -frames:v {} -c:v libx264 -preset ultrafast -crf {factor} -threads {threads} \
             -bsf:v filter_units=remove_types=5-8 -f h264 {}",
            self.stream,
            self.filters(),
            self.frames,
            files::look(part, is_coarse)
        )
    }

    fn filters(&self) -> String {
        let deinterlace = if self.interlaced { "bwdif=mode=send_field:deint=interlaced," } else { "" };
        let (width, height) = self.size;
        format!("{deinterlace}fps={},scale={width}:{height}:flags=fast_bilinear,format=yuv420p", self.rate)
    }

    /// Returns the bit rate of an encoded part, and removes its file.
    fn take_kbps(&self, context: &MediaContext<'_>, part: usize, is_coarse: bool) -> Option<f64> {
        let bytes = take_size(&context.folder.join(files::look(part, is_coarse)))?;
        let seconds = self.rate.seconds_at(self.frames.saturating_sub(1).max(1));
        Some(as_f64(bytes) * 8.0 / 1000.0 / seconds / ULTRAFAST_EXCESS)
    }
}

/// Returns the size of a file in bytes and removes it, or `None` if there is none. A file that cannot be removed
/// disappears with the job's private folder.
fn take_size(path: &Path) -> Option<u64> {
    let bytes = fs::symlink_metadata(path).ok()?.len();
    if let Err(error) = fs::remove_file(path) {
        tracing::warn!("{} was not removed: {error}", path.display());
    }
    Some(bytes)
}

#[expect(clippy::cast_precision_loss, reason = "a few frames are far smaller than 2^52 bytes")]
fn as_f64(bytes: u64) -> f64 {
    bytes as f64
}
