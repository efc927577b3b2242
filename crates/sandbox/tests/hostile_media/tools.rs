//! The command lines for media tools that read an untrusted file.

use std::ffi::OsString;
use std::path::Path;

/// The demuxers of the containers and images that a service accepts. Formats that refer to other files or addresses are
/// missing on purpose: HLS, DASH, concat, SDP, RTSP, image sequences, SVG.
const FORMATS: &str =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,flv,live_flv,mpegts,mpeg,asf,ogg,jpeg_pipe,png_pipe,webp_pipe";
/// A little more than 8K.
const MAX_PIXELS: &str = "36000000";

/// Returns the options for an untrusted input, the same for ffmpeg and ffprobe.
pub(crate) fn safe_options() -> [&'static str; 6] {
    ["-protocol_whitelist", "file", "-format_whitelist", FORMATS, "-max_pixels", MAX_PIXELS]
}

/// The options of a careless caller, or of an older tool. Only the sandbox protects against the file then.
pub(crate) const CARELESS_OPTIONS: [&str; 2] = ["-protocol_whitelist", "file,http,tcp,udp,rtp,crypto,data"];

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

    pub(crate) fn arguments(self, options: &[&str], input: &Path) -> Vec<OsString> {
        let (before, after): (&[&str], &[&str]) = match self {
            Self::Ffprobe => (&["-v", "error"], &["-of", "json", "-show_format", "-show_streams"]),
            Self::Ffmpeg => (
                &["-nostdin", "-v", "error"],
                &["-vf", "scale=160:-2", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", "-y", "out.mp4"],
            ),
        };
        let before = before.iter().chain(options).chain(&["-i"]).map(OsString::from);
        before.chain([input.into()]).chain(after.iter().map(OsString::from)).collect()
    }
}
