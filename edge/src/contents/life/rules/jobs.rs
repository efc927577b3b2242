//! Chooses the one active job of a content.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::job::{Job, JobState};
use crate::contents::life::life::Life;
use crate::contents::life::turn;
use contract::ContentState;
use contract::job::JobWork;

/// The generations of each epoch begin at a multiple of this, because the object store may have folders of jobs that a
/// restored database does not know.
const GENERATIONS_OF_EPOCH: u64 = 1_000_000;

/// Starts the job whose turn it is, and stops the others. Only one job of a content is active at a time.
pub(in crate::contents::life) fn settle(life: &mut Life, now: UnixSeconds) {
    let turn = whose_turn(life, now);
    let message = life.active_job().filter(|job| Some(job.kind) != turn && job.is_unclaimed()).cloned();
    for job in life.jobs.iter_mut().filter(|job| job.is_active() && Some(job.kind) != turn) {
        let state = if job.kind == JobWork::Video { JobState::Done } else { JobState::Waiting };
        job.end(state, now);
    }
    end_waiting_video(life, turn, now);
    let may_start =
        |kind: &JobWork| life.job(*kind).is_some_and(|job| job.state == JobState::Waiting && !job.is_paused(now));
    if let Some(kind) = turn.filter(may_start) {
        start(life, kind, message, now);
    }
    drop_obsolete(life, now);
}

/// Ends the job of a video that waited for a repeated check, once a moderator has decided.
fn end_waiting_video(life: &mut Life, turn: Option<JobWork>, now: UnixSeconds) {
    let waits = life.content.is_waiting() || turn == Some(JobWork::Video);
    let video = life.jobs.iter_mut().find(|job| job.kind == JobWork::Video && job.state == JobState::Waiting);
    if let Some(job) = video.filter(|_| !waits) {
        job.end(JobState::Done, now);
    }
}

/// Returns the kind of job that may be active now. A change that pauses after a failure lets the others go first.
fn whose_turn(life: &Life, now: UnixSeconds) -> Option<JobWork> {
    let may_be_active = |kind: &JobWork| life.job(*kind).is_some_and(|job| job.is_pending() && !job.is_paused(now));
    match life.content.state {
        ContentState::Processing if life.content.waits_for.is_none() => Some(JobWork::Video),
        ContentState::Scheduled | ContentState::Published => {
            // Work that takes long is not thrown away for a change that its owner can wait for.
            let is_being_completed = life.job(JobWork::Completion).is_some_and(|job| job.state == JobState::Claimed);
            let claimed = is_being_completed.then_some(JobWork::Completion);
            claimed.into_iter().chain(order_of_changes(life)).find(may_be_active)
        }
        _ => None,
    }
}

/// Returns the jobs of an approved content, in the order in which they are done. What its owner changes is soon made,
/// so it comes before the renditions that are missing, except for a thumbnail that is made of the largest of them.
fn order_of_changes(life: &Life) -> [JobWork; 3] {
    let has_picture = life.job(JobWork::Thumbnail).is_some_and(|job| job.input.picture.is_some());
    if has_picture || !life.is_pending(JobWork::Completion) {
        [JobWork::Thumbnail, JobWork::Captions, JobWork::Completion]
    } else {
        [JobWork::Captions, JobWork::Completion, JobWork::Thumbnail]
    }
}

/// Starts a job. If another change has an unclaimed message in the queue, this job takes over that message. Otherwise,
/// an owner who makes many changes would fill the queue.
fn start(life: &mut Life, kind: JobWork, message: Option<Job>, now: UnixSeconds) {
    let is_short = |kind: JobWork| !matches!(kind, JobWork::Video | JobWork::Completion);
    if let Some(message) = message.filter(|message| is_short(message.kind) && is_short(kind)) {
        life.job_mut(message.kind, now).generation = 0;
        let job = life.job_mut(kind, now);
        job.start(message.generation, message.turn_unix, now);
        job.state = message.state;
        (job.enqueued_at_unix, job.sendings) = (message.enqueued_at_unix, message.sendings);
        (job.sent_at_unix, job.due_at_unix) = (message.sent_at_unix, message.due_at_unix);
        return;
    }
    let generation = next_generation(life);
    let duration_ms = life.content.duration_ms;
    let turn = match kind {
        JobWork::Completion => turn::of_later(duration_ms, life.facts.latest_later_turn_unix, now),
        kind => turn::of_held(kind, duration_ms, now),
    };
    life.job_mut(kind, now).start(generation, turn, now);
}

/// Begins another generation: requests about earlier ones are obsolete.
pub(super) fn next_generation(life: &mut Life) -> u64 {
    life.content.generation = (life.content.generation + 1).max(life.facts.epoch * GENERATIONS_OF_EPOCH);
    life.content.generation
}

/// Removes the dead letters of a removed content, and ends all pending jobs of a deleted content. If the content comes
/// back, it is completed then.
fn drop_obsolete(life: &mut Life, now: UnixSeconds) {
    let (is_removed, is_deleted) = (life.content.is_removed(), life.content.state == ContentState::Deleted);
    for job in &mut life.jobs {
        if is_removed && job.state == JobState::Dead {
            let is_completion = job.kind == JobWork::Completion;
            job.state = if is_completion { JobState::Waiting } else { JobState::Done };
            if is_completion {
                job.forget_failures();
            }
        }
        if is_deleted && job.is_pending() {
            job.end(JobState::Done, now);
        }
    }
}

/// Requests a change by a job. An unclaimed job will make the new change; a claimed job restarts.
pub(in crate::contents::life) fn want_change(job: &mut Job, now: UnixSeconds) {
    job.forget_failures();
    if !job.is_unclaimed() {
        job.end(JobState::Waiting, now);
    }
}
