//! Runs ffprobe on a file and passes on its output line by line.

use super::exit;
use super::supervisor::{SupervisedProcess, confine, missing_pipe};
use crate::media::{Access, MediaContext, MediaError};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// ffprobe's lines are short. Without a limit, one endless line would fill the memory.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// Runs ffprobe and calls `on_line` for each line, until it breaks with an error.
pub(crate) fn run_ffprobe(
    context: &MediaContext<'_>,
    file: &Path,
    argv: &[OsString],
    time_limit: Duration,
    mut on_line: impl FnMut(&str) -> ControlFlow<MediaError>,
) -> Result<(), MediaError> {
    let mut command = Command::new(&context.tools.ffprobe);
    command.args(argv).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let access = Access { readable: Some(file), writable: None, devices: &[] };
    let guard = confine(context, &mut command, &access)?;
    let mut child = command.spawn().map_err(|error| MediaError::io("starting ffprobe", &error))?;
    let output = child.stdout.take();
    let process = SupervisedProcess::new(context, child, guard, time_limit);
    let mut output = BufReader::new(output.ok_or_else(|| missing_pipe("ffprobe"))?);
    while let Some(line) = read_line(&mut output)? {
        if let ControlFlow::Break(error) = on_line(&line) {
            return Err(error);
        }
    }
    exit::check("ffprobe", process.finish()?, "")
}

/// Returns the next line, or the next piece of a line that is too long; `None` at the end.
fn read_line(output: &mut impl BufRead) -> Result<Option<String>, MediaError> {
    let mut bytes = Vec::new();
    let read = io::Read::take(output, MAX_LINE_BYTES)
        .read_until(b'\n', &mut bytes)
        .map_err(|error| MediaError::io("reading from ffprobe", &error))?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).trim_end().to_owned()))
}
