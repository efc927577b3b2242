//! The arguments that bound what an untrusted file can make ffmpeg and ffprobe do.

use crate::media::limits::{DECODERS, MAX_PIXELS, MAX_STREAMS};
use std::ffi::OsString;
use std::path::Path;

/// ffmpeg's arguments up to and including the input.
pub(crate) fn ffmpeg_input(source: &Path, demuxer: &str, threads: usize) -> Vec<OsString> {
    let (pixels, threads) = (MAX_PIXELS.to_string(), threads.to_string());
    let guards = [
        "-nostdin",
        "-hide_banner",
        "-y",
        "-filter_complex_threads",
        &threads,
        "-protocol_whitelist",
        "file",
        "-format_whitelist",
        demuxer,
        "-codec_whitelist",
        DECODERS,
        "-max_pixels",
        &pixels,
        "-threads",
        &threads,
        "-i",
    ];
    let mut argv: Vec<_> = guards.iter().map(OsString::from).collect();
    argv.push(file_url(source));
    argv
}

/// Returns all of ffprobe's arguments. `entries` selects what it prints.
pub(crate) fn ffprobe_arguments(file: &Path, demuxer: &str, entries: &[&str]) -> Vec<OsString> {
    let (pixels, streams) = (MAX_PIXELS.to_string(), MAX_STREAMS.to_string());
    let guards = [
        "-v",
        "quiet",
        "-protocol_whitelist",
        "file",
        "-format_whitelist",
        demuxer,
        "-codec_whitelist",
        DECODERS,
        "-max_pixels",
        &pixels,
        "-max_streams",
        &streams,
    ];
    let mut argv: Vec<_> = guards.iter().chain(entries).map(OsString::from).collect();
    argv.push(file_url(file));
    argv
}

/// Returns a name that ffmpeg always treats as a file, no matter which characters it contains.
fn file_url(file: &Path) -> OsString {
    let mut name = OsString::from("file:");
    name.push(file);
    name
}
