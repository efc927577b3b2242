//! The arguments that bound what an untrusted file can make ffmpeg and ffprobe do.

use crate::media::limits::{DECODERS, MAX_PIXELS, MAX_STREAMS};
use std::ffi::OsString;
use std::path::Path;

/// The clock of transport streams wraps after this time, so no pause is longer.
const LONGEST_PAUSE_SECONDS: &str = "95444";

/// Returns ffmpeg's arguments up to and including the input.
pub(crate) fn ffmpeg_input(source: &Path, demuxer: &str, threads: usize) -> Vec<OsString> {
    let threads = threads.to_string();
    let first = [
        "-nostdin",
        "-hide_banner",
        "-y",
        "-filter_complex_threads",
        &threads,
        // Otherwise ffmpeg takes a pause of ten seconds in a transport stream for a restart of the clock, and drops it.
        "-dts_delta_threshold",
        LONGEST_PAUSE_SECONDS,
    ];
    with_guards(&first, demuxer, &["-threads", &threads, "-i"], source)
}

/// Returns all of ffprobe's arguments. `entries` selects what it prints.
pub(crate) fn ffprobe_arguments(file: &Path, demuxer: &str, entries: &[&str]) -> Vec<OsString> {
    let streams = MAX_STREAMS.to_string();
    let last: Vec<_> = ["-max_streams", &streams].iter().chain(entries).copied().collect();
    with_guards(&["-v", "quiet"], demuxer, &last, file)
}

/// Returns the arguments with guards between them, which allow only local files, one demuxer, the listed decoders and
/// pictures of a bounded size.
fn with_guards(before: &[&str], demuxer: &str, after: &[&str], input: &Path) -> Vec<OsString> {
    let pixels = MAX_PIXELS.to_string();
    let guards = [
        ["-protocol_whitelist", "file"],
        ["-format_whitelist", demuxer],
        ["-codec_whitelist", DECODERS],
        ["-max_pixels", &pixels],
    ];
    let arguments = before.iter().chain(guards.as_flattened()).chain(after).map(OsString::from);
    arguments.chain([file_url(input)]).collect()
}

/// Returns a name that ffmpeg always treats as a file, no matter which characters it contains.
fn file_url(file: &Path) -> OsString {
    let mut name = OsString::from("file:");
    name.push(file);
    name
}
