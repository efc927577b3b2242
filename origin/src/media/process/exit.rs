//! Decides from a program's exit status whether it succeeded, and if not, what caused the failure.
//!
//! The log alone never makes a run fail: successful runs log "errors" too. What a program wrote is the cause of an
//! error, for our log. The owner of the file is told in words what is wrong.

use crate::media::MediaError;
use ffmpeg_sidecar::event::LogLevel;
use sandbox::Termination;
use std::fmt;
use std::process::ExitStatus;

/// The number of logged errors that are kept for the error text.
const MAX_KEPT_ERRORS: usize = 5;

/// Exit codes that say nothing about the file: the program could not be executed (126, 127), or ffmpeg was stopped by a
/// signal (255), for example by a service manager.
const INCONCLUSIVE_CODES: [i32; 3] = [126, 127, 255];

/// Signals by which a person or a service manager stops a program.
const STOP_SIGNALS: [i32; 2] = [2, 15];

/// Parts of error messages that are about this machine, not about the file.
const MACHINE_ERRORS: [&str; 3] = ["No space left", "No such filter", "Unknown encoder"];

/// Parts of error messages about a limit that this machine or the file has reached.
const LIMIT_ERRORS: [&str; 3] =
    ["Cannot allocate memory", "x264 [error]: malloc of size", "Resource temporarily unavailable"];

/// The text for the owner of a file that a program cannot read.
const UNREADABLE: &str =
    "The file is damaged, or its format cannot be decoded. Export it again, for example as MP4 with H.264";
/// The text for the owner of a file that exceeds the limits of a program.
const TOO_COSTLY: &str = "Decoding the file takes far too long. Export it again, for example as MP4 with H.264";

/// Turns an exit status into a result. An exit code is the program's opinion of the file. If there is none, a limit or
/// the machine ended the program.
pub(super) fn check(program: &str, status: ExitStatus, errors: &str) -> Result<(), MediaError> {
    match Termination::from(status) {
        Termination::Exited(0) => Ok(()),
        Termination::Exited(code) if INCONCLUSIVE_CODES.contains(&code) => {
            Err(MediaError::Transient(format!("{program} was stopped with status {code}: {errors}")))
        }
        Termination::Exited(_) if has_any(errors, &MACHINE_ERRORS) => {
            Err(MediaError::Transient(format!("{program}: {errors}")))
        }
        Termination::Exited(_) if has_any(errors, &LIMIT_ERRORS) => {
            Err(MediaError::Undecided(format!("{program}: {errors}")))
        }
        Termination::Exited(_) => Err(MediaError::unreadable(UNREADABLE, format!("{program}: {errors}"))),
        // Only an attack, or a file that costs more than any honest one, ends like this, and it would do so every time.
        end @ (Termination::ForbiddenSystemCall | Termination::FileSizeLimit | Termination::CpuTimeLimit) => {
            Err(MediaError::unreadable(TOO_COSTLY, format!("{program} was killed: {end:?}")))
        }
        Termination::Crashed(signal) if STOP_SIGNALS.contains(&signal) => {
            Err(MediaError::Transient(format!("{program} was stopped by signal {signal}")))
        }
        end => Err(MediaError::Undecided(format!("{program} was killed: {end:?}"))),
    }
}

fn is_about_the_machine(errors: &str) -> bool {
    has_any(errors, &MACHINE_ERRORS) || has_any(errors, &LIMIT_ERRORS)
}

fn has_any(errors: &str, known: &[&str]) -> bool {
    known.iter().any(|known| errors.contains(known))
}

/// The last errors in ffmpeg's log. An error about the machine is never dropped, because it causes those that follow.
#[derive(Debug, Default)]
pub(super) struct LoggedErrors(Vec<String>);

impl LoggedErrors {
    pub(super) fn record(&mut self, level: &LogLevel, text: &str) {
        if matches!(level, LogLevel::Error | LogLevel::Fatal) {
            if self.0.len() == MAX_KEPT_ERRORS {
                let is_cause = self.0.first().is_some_and(|first| is_about_the_machine(first));
                self.0.remove(usize::from(is_cause));
            }
            self.0.push(text.chars().take(200).collect());
        }
    }
}

impl fmt::Display for LoggedErrors {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn result(raw_status: i32, error: &str) -> Result<(), MediaError> {
        check("ffmpeg", ExitStatus::from_raw(raw_status), error)
    }

    #[test]
    fn a_program_that_was_stopped_or_never_started_says_nothing_about_the_file() {
        let (stopped, not_found, not_executable) = (255 << 8, 127 << 8, 126 << 8);
        let (interrupted, terminated) = (2, 15);
        for raw in [stopped, not_found, not_executable, interrupted, terminated] {
            assert!(matches!(result(raw, ""), Err(MediaError::Transient(_))), "{raw}");
        }
    }

    #[test]
    fn a_program_that_crashed_or_reached_a_limit_gets_one_more_attempt() {
        let (killed, crashed, wall_time) = (9, 11, 14);
        for raw in [killed, crashed, wall_time] {
            assert!(matches!(result(raw, ""), Err(MediaError::Undecided(_))), "{raw}");
        }
        for error in [
            "x264 [error]: malloc of size 7332480 failed",
            "[libx264 @ 0x5] [error] pthread_create failed: Resource temporarily unavailable",
        ] {
            assert!(matches!(result(1 << 8, error), Err(MediaError::Undecided(_))), "{error}");
        }
    }

    #[test]
    fn an_error_about_the_machine_survives_the_errors_that_follow_it() {
        let mut errors = LoggedErrors::default();
        let mut record = |text: &str| errors.record(&LogLevel::Error, text);
        record("[error] something before it");
        record("x264 [error]: malloc of size 7332480 failed");
        for number in 0..20 {
            record(&format!("[error] consequence {number}"));
        }
        assert_eq!(errors.0.len(), MAX_KEPT_ERRORS);
        assert!(is_about_the_machine(&errors.to_string()), "{errors}");
        assert!(errors.0.iter().any(|text| text.ends_with("consequence 19")));
    }

    #[test]
    fn a_failure_is_blamed_on_the_file_unless_an_error_is_about_the_machine() {
        let blamed_on_file = result(1 << 8, "[error] Invalid data found when processing input");
        assert!(matches!(blamed_on_file, Err(MediaError::Rejected { .. })));
        for error in [
            "[AVFilterGraph @ 0x5] [error] No such filter: 'zscale'",
            "[fatal] Unknown encoder 'libx264'",
            "[error] av_interleaved_write_frame(): No space left on device",
        ] {
            assert!(matches!(result(1 << 8, error), Err(MediaError::Transient(_))), "{error}");
        }
    }

    #[test]
    fn the_owner_is_told_in_words_and_never_in_those_of_a_program() {
        let line = "[mov,mp4,m4a,3gp,3g2,mj2 @ 0x558ca1b2f940] [error] moov atom not found";
        // Exited with 1, and killed for the processor time, the size of a file, and a system call.
        for raw in [1 << 8, 24, 25, 31] {
            let Err(MediaError::Rejected { detail, cause, .. }) = result(raw, line) else { panic!("{raw}") };
            assert!(cause.is_some_and(|cause| cause.contains("ffmpeg")), "{raw}");
            for word in ["0x", "@", "moov", "ffmpeg", "Exited", "Limit"] {
                assert!(!detail.contains(word), "{raw}: {detail}");
            }
            assert!(detail.contains("Export it again"), "{detail}");
        }
    }
}
