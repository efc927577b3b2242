//! How the media tools are called on a stranger's file.

use std::ffi::OsString;
use std::path::Path;

/// The containers that a service takes, and the pictures that it may read, by the names of their demuxers. Not among
/// them is all that names other files or addresses: HLS, DASH, concat, SDP, RTSP, image sequences, SVG.
const FORMATS: &str = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,flv,live_flv,mpegts,mpeg,asf,ogg,jpeg_pipe,png_pipe,webp_pipe";
/// 36 million: 8K and some more.
const MOST_PIXELS: &str = "36000000";

/// The options before a stranger's input, the same for ffmpeg and ffprobe.
pub(crate) fn flags() -> [&'static str; 6] {
    [
        "-protocol_whitelist",
        "file",
        "-format_whitelist",
        FORMATS,
        "-max_pixels",
        MOST_PIXELS,
    ]
}

/// What a careless caller, or an older tool, would let a file do: then only the sandbox is left.
pub(crate) const CARELESS: [&str; 2] = ["-protocol_whitelist", "file,http,tcp,udp,rtp,crypto,data"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Ffprobe,
    Ffmpeg,
}

impl Tool {
    pub(crate) const ALL: [Self; 2] = [Self::Ffprobe, Self::Ffmpeg];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ffprobe => "ffprobe",
            Self::Ffmpeg => "ffmpeg",
        }
    }

    pub(crate) fn arguments(self, flags: &[&str], input: &Path) -> Vec<OsString> {
        let (before, after): (&[&str], &[&str]) = match self {
            Self::Ffprobe => (
                &["-v", "error"],
                &["-of", "json", "-show_format", "-show_streams"],
            ),
            Self::Ffmpeg => (
                &["-nostdin", "-v", "error"],
                &[
                    "-vf",
                    "scale=160:-2",
                    "-c:v",
                    "libx264",
                    "-preset",
                    "ultrafast",
                    "-c:a",
                    "aac",
                    "-y",
                    "out.mp4",
                ],
            ),
        };
        let before = before
            .iter()
            .chain(flags)
            .chain(&["-i"])
            .map(OsString::from);
        before
            .chain([input.into()])
            .chain(after.iter().map(OsString::from))
            .collect()
    }
}
