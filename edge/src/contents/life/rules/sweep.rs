//! Changes that become due by themselves: publications, unclaimed jobs, lapsed claims.
//!
//! A job that was never claimed is sent again if the queue has lost its message, and never fails: the origins may be
//! busy, and neither is the content's fault. A job whose claim has lapsed is sent again too; see `failure`.

use super::failure::count_silence;
use super::operator::restart;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::job::{Job, JobState};
use crate::contents::life::life::Life;
use contract::ContentState;
use contract::api::WaitsFor;
use contract::job::JobWork;

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

/// The facts about the outside world that decide what the sweep does with a due job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Surroundings {
    /// Whether origins could renew their claims since the previous run.
    pub was_edge_there: bool,
    /// The time at which the oldest message in the queue was sent. `None` if the queue is empty.
    pub oldest_message: Option<UnixSeconds>,
    /// The time at which the oldest message was sent to the queue that brings completion jobs.
    pub oldest_completion: Option<UnixSeconds>,
}

/// Returns the time of the next try of a moderation check that was not possible this many times.
pub(in crate::contents::life) fn check_again_at(check_waits: u32, now: UnixSeconds) -> UnixSeconds {
    now + CHECK_RETRY_SECONDS * u64::from(check_waits.min(MAX_CHECK_WAITS))
}

/// Handles the job that is due. While the edge was unavailable, origins could not renew their claims, so after an
/// outage they get until the next run to do so.
pub(in crate::contents::life) fn recover(life: &mut Life, surroundings: Surroundings, now: UnixSeconds) {
    let is_due = |job: &&mut Job| job.due_at_unix.is_some_and(|time| time <= now);
    let waits_for_check = life.content.waits_for == Some(WaitsFor::Check);
    let Some(job) = life.jobs.iter_mut().find(is_due) else { return };
    if waits_for_check && job.kind == JobWork::Video {
        return restart(life, now);
    }
    let kind = job.kind;
    let oldest_message =
        if kind == JobWork::Completion { surroundings.oldest_completion } else { surroundings.oldest_message };
    let is_silent = job.has_lapsed(now) && (surroundings.was_edge_there || job.had_time_to_renew());
    match job.state {
        JobState::Held | JobState::Due => job.send_if_lost(oldest_message, now),
        JobState::Claimed if job.claim_ends_at_unix.is_none() => job.send_if_lost(oldest_message, now),
        JobState::Claimed if is_silent => count_silence(life, kind, now),
        JobState::Claimed => job.due_at_unix = Some(now + NEXT_RUN_SECONDS),
        // Its pause is over, so it starts if its turn has come.
        JobState::Waiting | JobState::Later | JobState::Done | JobState::Dead => job.due_at_unix = None,
    }
}
