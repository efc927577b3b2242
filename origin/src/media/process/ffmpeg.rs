//! Runs ffmpeg in the private folder, and reports its progress and its log.

use super::exit::{self, LoggedErrors};
use super::supervisor::{SupervisedProcess, confine, missing_pipe};
use crate::media::{Access, MediaContext, MediaError};
use contract::clock_seconds;
use ffmpeg_sidecar::command::FfmpegCommand;
use ffmpeg_sidecar::event::FfmpegEvent;
use ffmpeg_sidecar::log_parser::FfmpegLogParser;
use std::ffi::OsString;
use std::io::{self, Read};
use std::process::{ChildStderr, ChildStdout, Stdio};
use std::time::Duration;

/// A message from ffmpeg while it runs.
#[derive(Debug)]
pub(crate) enum FfmpegMessage<'a> {
    /// Seconds of output so far, if ffmpeg knows.
    Progress(Option<f64>),
    LogLine(&'a str),
}

/// Runs ffmpeg and calls `on_message` for each report of progress and each line of the log.
pub(crate) fn run_ffmpeg(
    context: &MediaContext<'_>,
    argv: &[OsString],
    time_limit: Duration,
    on_message: impl FnMut(FfmpegMessage<'_>),
) -> Result<(), MediaError> {
    let mut ffmpeg = RunningFfmpeg::start(context, argv, &source_access(context), None, time_limit)?;
    drop(ffmpeg.take_output());
    ffmpeg.finish(on_message)
}

/// Returns the paths for a process that reads the source and writes to the private folder.
pub(super) fn source_access<'a>(context: &MediaContext<'a>) -> Access<'a> {
    Access { readable: Some(context.source), writable: Some(context.folder), devices: &[] }
}

/// A running ffmpeg process. Dropping this value kills it.
pub(super) struct RunningFfmpeg {
    process: SupervisedProcess,
    output: Option<ChildStdout>,
    log: Option<ChildStderr>,
}

impl RunningFfmpeg {
    /// Starts ffmpeg with `input` as its standard input, or without any.
    pub(super) fn start(
        context: &MediaContext<'_>,
        argv: &[OsString],
        access: &Access<'_>,
        input: Option<ChildStdout>,
        time_limit: Duration,
    ) -> Result<Self, MediaError> {
        let mut command = FfmpegCommand::new_with_path(&context.tools.ffmpeg);
        let command = command.args(argv).as_inner_mut().current_dir(context.folder);
        command.stdin(input.map_or_else(Stdio::null, Stdio::from));
        let guard = confine(context, command, access)?;
        let mut child = command.spawn().map_err(|error| MediaError::io("starting ffmpeg", &error))?;
        let (output, log) = (child.stdout.take(), child.stderr.take());
        Ok(Self { process: SupervisedProcess::new(context, child, guard, time_limit), output, log })
    }

    /// Returns the process's standard output. The caller must read or drop it: ffmpeg waits while the pipe is full.
    pub(super) fn take_output(&mut self) -> Option<ChildStdout> {
        self.output.take()
    }

    /// Reads the log to its end, and waits for the exit.
    pub(super) fn finish(self, on_message: impl FnMut(FfmpegMessage<'_>)) -> Result<(), MediaError> {
        let errors = read_log(self.log.ok_or_else(|| missing_pipe("ffmpeg"))?, on_message);
        exit::check("ffmpeg", self.process.finish()?, &errors.to_string())
    }
}

/// Reads the log to its end and returns the errors in it.
///
/// Does not use the crate's iterator, which waits forever after a log line that it cannot parse.
fn read_log(log: impl Read, mut on_message: impl FnMut(FfmpegMessage<'_>)) -> LoggedErrors {
    let mut log = FfmpegLogParser::new(log);
    let mut errors = LoggedErrors::default();
    loop {
        match log.parse_next_event() {
            Ok(FfmpegEvent::LogEOF) => break,
            Ok(FfmpegEvent::Progress(progress)) => on_message(FfmpegMessage::Progress(parse_time(&progress.time))),
            Ok(FfmpegEvent::Log(level, text)) => {
                errors.record(&level, &text);
                on_message(FfmpegMessage::LogLine(&text));
            }
            Err(error) if error.is::<io::Error>() => break,
            Ok(_) | Err(_) => {}
        }
    }
    errors
}

/// Parses `00:01:02.34` into seconds.
fn parse_time(time: &str) -> Option<f64> {
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let seconds = u32::try_from(clock_seconds(clock)?).ok()?;
    Some(f64::from(seconds) + format!("0.{fraction}").parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_parsed_into_seconds() {
        assert_eq!(parse_time("00:01:02.50"), Some(62.5));
        assert_eq!(parse_time("N/A"), None);
    }
}
