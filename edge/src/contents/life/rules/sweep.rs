//! Changes that become due by themselves: publications, unclaimed jobs, lapsed claims.
//!
//! A job that was never claimed is sent again and never fails: its message may be lost, or the origins may be busy, and
//! neither is the content's fault. A job whose claim has lapsed is sent again too, which counts as a delivery attempt.

use super::failure::{fail_change, fail_video};
use super::operator::restart;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::job::{Job, JobState};
use crate::contents::life::life::Life;
use contract::api::WaitsFor;
use contract::job::JobWork;
use contract::{ContentState, ErrorCode};

/// The maximum number of restarts by the sweep. A job that got stuck three times would get stuck again.
const MAX_REQUEUES: u32 = 2;
/// The wait before a failed moderation check is retried. The wait grows by this much each time, because the whole job
/// is done again.
const CHECK_RETRY_SECONDS: u64 = 300;
/// The wait stops growing after this many retries.
const MAX_CHECK_WAITS: u32 = 12;
/// The time between two runs of the sweep.
const NEXT_RUN_SECONDS: u64 = 60;

/// Publishes a scheduled content whose time has come, unless its owner has to release it.
pub(in crate::contents::life) fn publish_due(life: &mut Life, now: UnixSeconds) {
    let content = &mut life.content;
    let is_due = content.scheduled_publish_at_unix.is_some_and(|time| time <= now);
    if content.state == ContentState::Scheduled && is_due && content.needs_release == 0 {
        content.state = ContentState::Published;
        content.published_at_unix = Some(now);
    }
}

/// Returns the time of the next try of a moderation check that was not possible this many times.
pub(in crate::contents::life) fn check_again_at(check_waits: u32, now: UnixSeconds) -> UnixSeconds {
    now + CHECK_RETRY_SECONDS * u64::from(check_waits.min(MAX_CHECK_WAITS))
}

/// Handles the job that is due. While the edge was unavailable, origins could not renew their claims, so after an
/// outage they get until the next run to do so.
pub(in crate::contents::life) fn recover(life: &mut Life, was_edge_there: bool, now: UnixSeconds) {
    let is_due = |job: &&mut Job| job.due_at_unix.is_some_and(|time| time <= now);
    let waits_for_check = life.content.waits_for == Some(WaitsFor::Check);
    let Some(job) = life.jobs.iter_mut().find(is_due) else { return };
    if waits_for_check && job.kind == JobWork::Video {
        job.requeues = 0;
        return restart(life, now);
    }
    if !job.is_active() {
        job.due_at_unix = None;
        return;
    }
    let kind = job.kind;
    // The owner can simply request another thumbnail or other captions again.
    let is_judged = was_edge_there || kind != JobWork::Video;
    match (job.is_exhausted(now), job.is_stuck(now)) {
        (true, _) if is_judged => fail(life, kind, now),
        (_, true) if may_be_requeued(job) => {
            job.requeues += 1;
            restart(life, now);
        }
        (_, true) => fail(life, kind, now),
        (true, false) => look_again(job, now),
        (false, false) if job.has_lapsed(now) && !was_edge_there => look_again(job, now),
        (false, false) => send_again(job, now),
    }
}

fn look_again(job: &mut Job, now: UnixSeconds) {
    job.due_at_unix = Some(job.stuck_at().clamp(now + 1, now + NEXT_RUN_SECONDS));
}

fn may_be_requeued(job: &Job) -> bool {
    job.kind == JobWork::Video && job.requeues < MAX_REQUEUES
}

/// Fails a job. If it was a change, viewers continue to see the old files, and the owner may request it again.
fn fail(life: &mut Life, kind: JobWork, now: UnixSeconds) {
    if kind == JobWork::Video {
        fail_video(life, "Every attempt to process the video ended without a result.", now);
    } else {
        fail_change(life, kind, ErrorCode::ContentProcessingFailed, now);
    }
}

/// Sends the same job again. If both messages arrive, the second finds the job claimed. The holder of a lapsed claim
/// may still renew it until another origin claims the job.
fn send_again(job: &mut Job, now: UnixSeconds) {
    if job.has_lapsed(now) {
        job.claim_ends_at_unix = None;
        job.attempt += 1;
    } else if job.state == JobState::Claimed {
        return look_again(job, now);
    }
    job.send(now);
}
