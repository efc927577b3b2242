//! Runs two ffmpegs side by side: one reads the untrusted file, and the other encodes its frames with a graphics card.
//!
//! The frames go through a pipe, without compression and without anything else from the file. So nothing that parses a
//! stranger's bytes can reach the card's driver.

use super::ffmpeg::{FfmpegMessage, RunningFfmpeg, source_access};
use super::supervisor::missing_pipe;
use crate::media::{Access, Hardware, MediaContext, MediaError};
use std::ffi::OsString;
use std::process::ChildStdout;
use std::time::Duration;

/// The results of both processes. If one fails, the other fails too in most cases.
#[derive(Debug)]
pub(crate) struct PairResult {
    pub(crate) decoder: Result<(), MediaError>,
    pub(crate) encoder: Result<(), MediaError>,
}

/// Runs both, and connects the standard output of the first with the standard input of the second.
pub(crate) fn run_pair(
    context: &MediaContext<'_>,
    (decoder, encoder): (&[OsString], &[OsString]),
    hardware: Hardware,
    time_limit: Duration,
    on_message: impl FnMut(FfmpegMessage<'_>),
) -> Result<PairResult, MediaError> {
    let mut decoder = RunningFfmpeg::start(context, decoder, &source_access(context), None, time_limit)?;
    let frames = decoder.take_output().ok_or_else(|| missing_pipe("ffmpeg"))?;
    let encoder = start_encoder(context, encoder, hardware, Some(frames), time_limit);
    Ok(std::thread::scope(|scope| {
        let encoder = scope.spawn(|| encoder.and_then(|encoder| encoder.finish(|_| ())));
        let decoder = decoder.finish(on_message);
        let panicked = || Err(MediaError::Undecided("the thread of an encoder panicked".to_owned()));
        PairResult { decoder, encoder: encoder.join().unwrap_or_else(|_| panicked()) }
    }))
}

/// Runs an ffmpeg that uses the card and reads no file.
pub(crate) fn run_with_hardware(
    context: &MediaContext<'_>,
    argv: &[OsString],
    hardware: Hardware,
    time_limit: Duration,
) -> Result<(), MediaError> {
    let mut ffmpeg = start_encoder(context, argv, hardware, None, time_limit)?;
    drop(ffmpeg.take_output());
    ffmpeg.finish(|_| ())
}

fn start_encoder(
    context: &MediaContext<'_>,
    argv: &[OsString],
    hardware: Hardware,
    input: Option<ChildStdout>,
    time_limit: Duration,
) -> Result<RunningFfmpeg, MediaError> {
    let devices = hardware.devices();
    let access = Access { readable: None, writable: Some(context.folder), devices: &devices };
    RunningFfmpeg::start(context, argv, &access, input, time_limit)
}
