//! The only place that starts processes: ffprobe and ffmpeg, confined, watched, and never outliving the call.
//!
//! Knows no argument of theirs. Judges ffmpeg by its exit status: its log contains "errors" of successful runs.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ffmpeg_sidecar::child::FfmpegChild;
use ffmpeg_sidecar::command::FfmpegCommand;
use ffmpeg_sidecar::event::{FfmpegEvent, LogLevel};
use ffmpeg_sidecar::log_parser::FfmpegLogParser;
use sandbox::{Ended, Leash};

use super::MediaError;
use super::tools::{Access, Stop, Workshop};

/// How soon a raised [`Stop`], a passed deadline or an exit is noticed.
const BEAT: Duration = Duration::from_millis(20);

/// ffprobe's lines are short; one that is not would otherwise fill the memory.
const LONGEST_LINE: u64 = 1 << 20;

/// The last words of ffmpeg that are kept for the error.
const KEPT_COMPLAINTS: usize = 5;

/// It could not be executed (126, 127), or ffmpeg was told by a signal to stop (255), as a service manager does.
const EXITS_WITHOUT_A_JUDGEMENT: [i32; 3] = [126, 127, 255];

/// Complaints about this machine, not about the file.
const MACHINE_WORDS: [&str; 6] = [
    "No space left",
    "Cannot allocate memory",
    "x264 [error]: malloc of size",
    "Resource temporarily unavailable",
    "No such filter",
    "Unknown encoder",
];

/// Runs ffprobe on a file and hands over its output line by line, until the callback has had enough.
pub(super) fn ffprobe(
    shop: &Workshop<'_>,
    file: &Path,
    argv: &[OsString],
    limit: Duration,
    mut line: impl FnMut(&str) -> ControlFlow<MediaError>,
) -> Result<(), MediaError> {
    let mut command = Command::new(&shop.tools.ffprobe);
    command
        .args(argv)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let leash = prepare(shop, &mut command, file, None)?;
    let mut child = command
        .spawn()
        .map_err(|error| MediaError::trouble("starting ffprobe", &error))?;
    let output = child.stdout.take();
    let running = Running::watch(shop, Process::new(Program::Probe(child), leash), limit);
    let mut output = BufReader::new(output.ok_or_else(|| lost("ffprobe"))?);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = io::Read::take(&mut output, LONGEST_LINE)
            .read_until(b'\n', &mut bytes)
            .map_err(|error| MediaError::trouble("reading from ffprobe", &error))?;
        if read == 0 {
            break;
        }
        if let ControlFlow::Break(error) = line(String::from_utf8_lossy(&bytes).trim_end()) {
            return Err(error);
        }
    }
    judge("ffprobe", running.finish()?, &[])
}

/// Runs ffmpeg in the private folder. The callback gets how many seconds of output there are, and each line of the log.
pub(super) fn ffmpeg(
    shop: &Workshop<'_>,
    argv: &[OsString],
    limit: Duration,
    mut event: impl FnMut(Event<'_>),
) -> Result<(), MediaError> {
    let mut command = FfmpegCommand::new_with_path(&shop.tools.ffmpeg);
    command.args(argv);
    let leash = prepare(
        shop,
        command.as_inner_mut().current_dir(shop.folder),
        shop.source,
        Some(shop.folder),
    )?;
    let mut child = command
        .spawn()
        .map_err(|error| MediaError::trouble("starting ffmpeg", &error))?;
    drop(child.take_stdout());
    let log = child.take_stderr();
    let running = Running::watch(shop, Process::new(Program::Encoder(child), leash), limit);
    // Not the crate's own iterator: it waits for ever after a log line that it cannot place.
    let mut log = FfmpegLogParser::new(log.ok_or_else(|| lost("ffmpeg"))?);
    let mut complaints = Vec::new();
    loop {
        match log.parse_next_event() {
            Ok(FfmpegEvent::LogEOF) => break,
            Ok(FfmpegEvent::Progress(progress)) => {
                event(Event::Progress(seconds(&progress.time)));
            }
            Ok(FfmpegEvent::Log(level, text)) => {
                complain(&mut complaints, &level, &text);
                event(Event::Line(&text));
            }
            Err(error) if error.is::<io::Error>() => break,
            Ok(_) | Err(_) => {}
        }
    }
    judge("ffmpeg", running.finish()?, &complaints)
}

/// What ffmpeg tells while it works.
#[derive(Debug)]
pub(super) enum Event<'a> {
    /// Seconds of output so far, where it knows.
    Progress(Option<f64>),
    Line(&'a str),
}

fn prepare(
    shop: &Workshop<'_>,
    command: &mut Command,
    readable: &Path,
    writable: Option<&Path>,
) -> Result<Option<Leash>, MediaError> {
    let access = Access { readable, writable };
    let confined = shop.tools.confine.confine(command, &access);
    confined.map_err(|error| MediaError::trouble("confining a process", &error))
}

/// Keeps the last complaints; what one says about the machine stays, for it is the cause of those that follow.
fn complain(kept: &mut Vec<String>, level: &LogLevel, text: &str) {
    if matches!(level, LogLevel::Error | LogLevel::Fatal) {
        if kept.len() == KEPT_COMPLAINTS {
            let is_a_cause = kept
                .first()
                .is_some_and(|first| is_about_the_machine(first));
            kept.remove(usize::from(is_a_cause));
        }
        kept.push(text.chars().take(200).collect());
    }
}

/// `00:01:02.34` in seconds.
fn seconds(time: &str) -> Option<f64> {
    let mut total = 0.0;
    for part in time.split(':') {
        total = total * 60.0 + part.parse::<f64>().ok()?;
    }
    Some(total)
}

/// An exit code is what the program thinks of the file; anything else is what a limit or the machine did to it.
fn judge(program: &str, status: ExitStatus, complaints: &[String]) -> Result<(), MediaError> {
    let words = complaints.join(" | ");
    match Ended::from(status) {
        Ended::Exited(0) => Ok(()),
        Ended::Exited(code) if EXITS_WITHOUT_A_JUDGEMENT.contains(&code) => Err(
            MediaError::Transient(format!("{program} was stopped with status {code}: {words}")),
        ),
        Ended::Exited(_) if is_about_the_machine(&words) => {
            Err(MediaError::Transient(format!("{program}: {words}")))
        }
        Ended::Exited(_) => Err(MediaError::format(format!(
            "{program} cannot read it: {words}"
        ))),
        // Only an attack, or a file that costs more than any honest one, ends like this, and always again.
        ended @ (Ended::ForbiddenCall | Ended::FileSize | Ended::ProcessorTime) => Err(
            MediaError::format(format!("{program} was ended: {ended:?}")),
        ),
        ended => Err(MediaError::Transient(format!(
            "{program} was ended: {ended:?}"
        ))),
    }
}

fn is_about_the_machine(words: &str) -> bool {
    MACHINE_WORDS.iter().any(|known| words.contains(known))
}

fn lost(program: &str) -> MediaError {
    MediaError::Permanent(format!("{program} was started without a pipe"))
}

/// A started process; ends with this value at the latest.
struct Running {
    process: Arc<Mutex<Process>>,
    watchdog: Option<JoinHandle<Option<&'static str>>>,
    called_off: Option<Sender<()>>,
}

struct Process {
    program: Program,
    /// Dropped, it ends the program with all that it started.
    leash: Option<Leash>,
}

enum Program {
    Probe(Child),
    Encoder(FfmpegChild),
}

impl Process {
    fn new(program: Program, leash: Option<Leash>) -> Self {
        Self { program, leash }
    }

    fn child(&mut self) -> &mut Child {
        match &mut self.program {
            Program::Probe(child) => child,
            Program::Encoder(child) => child.as_inner_mut(),
        }
    }
}

impl Running {
    fn watch(shop: &Workshop<'_>, process: Process, limit: Duration) -> Self {
        let process = Arc::new(Mutex::new(process));
        let (called_off, call) = channel();
        let watched = Watched {
            process: Arc::clone(&process),
            stop: shop.stop.clone(),
            deadline: Instant::now() + limit,
            call,
        };
        Self {
            process,
            watchdog: Some(std::thread::spawn(move || watched.until_called_off())),
            called_off: Some(called_off),
        }
    }

    /// Waits for the exit; the watchdog stays awake, because a process may close its output and go on.
    fn finish(mut self) -> Result<ExitStatus, MediaError> {
        let status = loop {
            let exit = lock(&self.process).child().try_wait();
            if let Some(status) = exit.map_err(|error| MediaError::trouble("waiting", &error))? {
                break status;
            }
            std::thread::sleep(BEAT / 10);
        };
        match self.call_off() {
            Some(reason) => Err(MediaError::Transient(reason.to_owned())),
            None => Ok(status),
        }
    }

    fn call_off(&mut self) -> Option<&'static str> {
        drop(self.called_off.take());
        self.watchdog.take()?.join().ok().flatten()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.call_off();
        end(&self.process);
    }
}

struct Watched {
    process: Arc<Mutex<Process>>,
    stop: Stop,
    deadline: Instant,
    call: Receiver<()>,
}

impl Watched {
    /// Ends the process when it must; tells why, if it did.
    fn until_called_off(self) -> Option<&'static str> {
        loop {
            if self.call.recv_timeout(BEAT) != Err(RecvTimeoutError::Timeout) {
                return None;
            }
            let reason = if self.stop.is_raised() {
                "the work was called off"
            } else if Instant::now() >= self.deadline {
                "the work took longer than it may"
            } else {
                continue;
            };
            end(&self.process);
            return Some(reason);
        }
    }
}

/// Kills what still runs and takes it off the process table.
fn end(process: &Mutex<Process>) {
    let mut process = lock(process);
    drop(process.leash.take());
    let child = process.child();
    if matches!(child.try_wait(), Ok(None)) {
        // It may exit by itself in between: then there is nothing to kill, and waiting is all that is left.
        child.kill().ok();
        child.wait().ok();
    }
}

/// A poisoned lock still holds the process, which must not stay behind.
fn lock(process: &Mutex<Process>) -> std::sync::MutexGuard<'_, Process> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn judged(raw_status: i32, complaint: &str) -> Result<(), MediaError> {
        let complaints = [complaint.to_owned()];
        judge("ffmpeg", ExitStatus::from_raw(raw_status), &complaints)
    }

    #[test]
    fn a_program_that_was_stopped_or_not_started_says_nothing_about_the_file() {
        let (stopped, not_found, not_executable) = (255 << 8, 127 << 8, 126 << 8);
        let (terminated, killed, crashed) = (15, 9, 11);
        for raw in [
            stopped,
            not_found,
            not_executable,
            terminated,
            killed,
            crashed,
        ] {
            let judged = judged(raw, "");
            assert!(matches!(judged, Err(MediaError::Transient(_))), "{raw}");
        }
    }

    #[test]
    fn a_complaint_about_the_machine_is_not_lost_among_those_that_follow() {
        let mut kept = Vec::new();
        let mut complain = |text: &str| complain(&mut kept, &LogLevel::Error, text);
        complain("[error] something before it");
        complain("x264 [error]: malloc of size 7332480 failed");
        for number in 0..20 {
            complain(&format!("[error] consequence {number}"));
        }
        assert_eq!(kept.len(), KEPT_COMPLAINTS);
        assert!(is_about_the_machine(&kept.join(" | ")), "{kept:?}");
        assert!(kept.iter().any(|text| text.ends_with("consequence 19")));
    }

    #[test]
    fn an_ordinary_failure_is_the_file_s_unless_it_complains_about_the_machine() {
        let of_the_file = judged(1 << 8, "[error] Invalid data found when processing input");
        assert!(matches!(of_the_file, Err(MediaError::Rejected { .. })));
        for complaint in [
            "[AVFilterGraph @ 0x5] [error] No such filter: 'zscale'",
            "[fatal] Unknown encoder 'libx264'",
            "[error] av_interleaved_write_frame(): No space left on device",
            "x264 [error]: malloc of size 7332480 failed",
            "[libx264 @ 0x5] [error] pthread_create failed: Resource temporarily unavailable",
        ] {
            let judged = judged(1 << 8, complaint);
            assert!(
                matches!(judged, Err(MediaError::Transient(_))),
                "{complaint}"
            );
        }
    }
}
