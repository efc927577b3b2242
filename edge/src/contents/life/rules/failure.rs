//! Ends a job that failed.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::job::{Job, JobState};
use crate::contents::life::life::Life;
use contract::job::{JobWork, MAX_DELIVERY_ATTEMPTS};
use contract::{ContentEvent, ErrorCode};

/// Fails a content whose job was not done. It can be retried.
pub(in crate::contents::life) fn fail_video(life: &mut Life, detail: &str, now: UnixSeconds) {
    let content = &mut life.content;
    content.state = content.state.next(ContentEvent::AttemptsExhausted).unwrap_or(content.state);
    content.error_code = Some(ErrorCode::ContentProcessingFailed.as_str().to_owned());
    content.error_detail = Some(detail.to_owned());
    content.finished_at_unix = Some(now);
    end_failed(life.job_mut(JobWork::Video, now), ErrorCode::ContentProcessingFailed, Some(detail.to_owned()), now);
}

/// Gives up a change. Viewers continue to see the old files.
pub(in crate::contents::life) fn fail_change(life: &mut Life, kind: JobWork, code: ErrorCode, now: UnixSeconds) {
    if kind == JobWork::Captions {
        life.captions.retain(|captions| captions.is_shown != 0);
        life.captions.iter_mut().for_each(|captions| captions.is_wanted = 1);
    }
    let job = life.job_mut(kind, now);
    job.input.picture = None;
    end_failed(job, code, None, now);
}

/// A job whose attempts are used up is a dead letter.
pub(in crate::contents::life) fn end_failed(job: &mut Job, code: ErrorCode, detail: Option<String>, now: UnixSeconds) {
    let is_dead = job.attempt >= MAX_DELIVERY_ATTEMPTS;
    let holder = job.claimed_by.take();
    job.end(if is_dead { JobState::Dead } else { JobState::Done }, now);
    // The origin that had the job last.
    job.claimed_by = holder.filter(|_| is_dead);
    (job.error_code, job.error_detail) = (Some(code.as_str().to_owned()), detail);
}
