//! The jobs of contents: an origin claims a job, sends heartbeats and reports the result. When origins fall silent,
//! the sweep starts new generations.
//!
//! Every operation is one transaction and may be repeated. Three conditions protect a job from stale requests:
//! - the generation: a request about an older generation has no effect,
//! - the claim: only the origin that claimed the job may renew, release or report it,
//! - the state: a content that is no longer processing changes only its thumbnail or its captions, if its owner asked
//!   for others.
//!
//! The database enforces the state transitions of `contract::TRANSITIONS`. This folder knows nothing about HTTP or
//! signatures (`http`), or about when the sweep runs (`sweep`).

mod captions_report;
mod claims;
pub(crate) mod dead_letters;
mod demands;
mod held_jobs;
mod known_facts;
mod open_job;
mod outbox;
mod progress;
mod report;
mod report_effect;
mod report_statements;
mod report_validation;
mod reported_work;
mod requeue;
mod silent_jobs;
mod thumbnail_report;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use claims::{claim, release};
pub(crate) use demands::KnownFacts;
pub(crate) use held_jobs::send_held;
pub(crate) use known_facts::read_duration;
pub(crate) use outbox::{UnsentJob, send_jobs, send_new_job};
pub(crate) use progress::record_progress;
pub(crate) use report::{accept_report, fingerprint};
pub(crate) use report_validation::validate_report;
pub(crate) use requeue::{RequeueOutcome, requeue};
pub(crate) use silent_jobs::recover_silent_jobs;

use crate::unix_seconds::UnixSeconds;

/// The time at which the edge received a request, and the time at which the origin signed it by its own clock.
///
/// A request that was not signed later than the last one is a replay. It must not extend a claim.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestTimes {
    pub now: UnixSeconds,
    pub signed_at: UnixSeconds,
}
