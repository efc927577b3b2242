//! Runs ffmpeg in the private folder, and reports its progress and its log.

use super::exit::{self, LoggedErrors};
use super::supervisor::{Program, SupervisedProcess, confine, missing_pipe};
use crate::media::{MediaContext, MediaError};
use ffmpeg_sidecar::command::FfmpegCommand;
use ffmpeg_sidecar::event::FfmpegEvent;
use ffmpeg_sidecar::log_parser::FfmpegLogParser;
use std::ffi::OsString;
use std::io::{self, Read};
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
    let mut command = FfmpegCommand::new_with_path(&context.tools.ffmpeg);
    command.args(argv);
    let inner = command.as_inner_mut().current_dir(context.folder);
    let guard = confine(context, inner, context.source, Some(context.folder))?;
    let mut child = command.spawn().map_err(|error| MediaError::io("starting ffmpeg", &error))?;
    drop(child.take_stdout());
    let log = child.take_stderr();
    let process = SupervisedProcess::new(context, Program::Ffmpeg(child), guard, time_limit);
    let errors = read_log(log.ok_or_else(|| missing_pipe("ffmpeg"))?, on_message);
    exit::check("ffmpeg", process.finish()?, &errors.to_string())
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
    let mut total = 0.0;
    for part in time.split(':') {
        total = total * 60.0 + part.parse::<f64>().ok()?;
    }
    Some(total)
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
