//! The consequences of an attempt without a result: a pause and another attempt, or the end of the job.
//!
//! A video fails only by its own fault. An origin that is stopped, killed or cut off is no failure of the job. A
//! failure that may be the machine's is retried for hours; then the job is a dead letter, for operators. Only a failure
//! that every attempt would have ends a job at once.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::job::{JobState, SILENCES_WITHOUT_PAUSE};
use crate::contents::life::life::Life;
use contract::job::JobWork;
use contract::{ContentEvent, ErrorCode};

/// The pauses after the first and each further undecided failure. Together they exceed two hours, the time in which an
/// operator can repair a machine.
const PAUSES_SECONDS: [u64; 7] = [60, 120, 300, 600, 1_200, 2_400, 3_600];
/// The undecided failures after which a job is given up.
pub(crate) const MAX_UNDECIDED_FAILURES: u32 = 8;
/// The silences of origins after which a job is given up. A file that kills every origin must not do so for ever; so
/// many accidents in a row are unlikely.
pub(crate) const MAX_SILENCES: u32 = 20;

/// The text for the owner of a video that was given up although its file may be good.
const SERVICE_FAILED: &str = "Processing failed several times because of a fault in this service, not in your file. \
    The operators know about it and can process the video again. You can also upload it again.";

/// Records a failure that the machine, the network or the file may have caused.
pub(in crate::contents::life) fn count_undecided(life: &mut Life, kind: JobWork, detail: &str, now: UnixSeconds) {
    let job = life.job_mut(kind, now);
    job.undecided_failures += 1;
    let failures = job.undecided_failures;
    if failures >= MAX_UNDECIDED_FAILURES {
        return give_up(life, kind, detail, now);
    }
    job.pause(pause_seconds(failures), now);
}

/// Records that the origin with the job fell silent.
pub(in crate::contents::life) fn count_silence(life: &mut Life, kind: JobWork, now: UnixSeconds) {
    let job = life.job_mut(kind, now);
    job.silences += 1;
    let silences = job.silences;
    if silences >= MAX_SILENCES {
        return give_up(life, kind, "Too many origins fell silent while they worked on this job.", now);
    }
    match silences.saturating_sub(SILENCES_WITHOUT_PAUSE) {
        0 => {
            // The holder may still renew its claim until another origin has the job.
            job.claim_ends_at_unix = None;
            job.send(now);
        }
        further => job.pause(pause_seconds(further), now),
    }
}

/// Returns the pause after this many failures, at least one.
fn pause_seconds(failures: u32) -> u64 {
    let index = usize::try_from(failures).unwrap_or(usize::MAX);
    PAUSES_SECONDS.iter().take(index).next_back().copied().unwrap_or_default()
}

/// Ends a job as a dead letter. Only operators see the detail.
fn give_up(life: &mut Life, kind: JobWork, detail: &str, now: UnixSeconds) {
    let holder = life.job_mut(kind, now).claimed_by.take();
    if kind == JobWork::Video {
        fail_video(life, SERVICE_FAILED, detail, now);
    } else {
        fail_change(life, kind, ErrorCode::ContentProcessingFailed, now);
    }
    let job = life.job_mut(kind, now);
    job.state = JobState::Dead;
    // The origin that had the job last.
    job.claimed_by = holder;
    job.error_detail = Some(detail.to_owned());
}

/// Fails a content whose job was not done. It can be retried. Its owner sees the text, operators the detail.
pub(in crate::contents::life) fn fail_video(life: &mut Life, text: &str, detail: &str, now: UnixSeconds) {
    let content = &mut life.content;
    content.state = content.state.next(ContentEvent::AttemptsExhausted).unwrap_or(content.state);
    content.error_code = Some(ErrorCode::ContentProcessingFailed.as_str().to_owned());
    content.error_detail = Some(text.to_owned());
    content.finished_at_unix = Some(now);
    let job = life.job_mut(JobWork::Video, now);
    job.end(JobState::Done, now);
    job.error_code = Some(ErrorCode::ContentProcessingFailed.as_str().to_owned());
    job.error_detail = Some(detail.to_owned());
}

/// Gives up a change. Viewers continue to see the old files.
pub(in crate::contents::life) fn fail_change(life: &mut Life, kind: JobWork, code: ErrorCode, now: UnixSeconds) {
    if kind == JobWork::Captions {
        life.captions.retain(|captions| captions.is_shown != 0);
        life.captions.iter_mut().for_each(|captions| captions.is_wanted = 1);
    }
    let job = life.job_mut(kind, now);
    job.input.picture = None;
    job.end(JobState::Done, now);
    job.error_code = Some(code.as_str().to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_the_attempts_before_the_last_take_more_than_two_hours() {
        let pauses: Vec<u64> = (1..MAX_UNDECIDED_FAILURES).map(pause_seconds).collect();
        assert!(pauses.is_sorted(), "{pauses:?}");
        assert_eq!(pauses, PAUSES_SECONDS);
        assert!(pauses.iter().sum::<u64>() >= 2 * 3_600, "{pauses:?}");
        assert_eq!(pause_seconds(u32::MAX), pauses[pauses.len() - 1]);
    }
}
