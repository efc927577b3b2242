//! The jobs of contents, as origins meet them: an origin claims a job, sends heartbeats and reports the result. When
//! origins fall silent, the sweep sends jobs again or starts new generations.
//!
//! Every operation is one transaction and may be repeated. Three conditions protect a job from stale requests:
//! - the generation: a request about an older generation has no effect,
//! - the claim: only the origin that claimed the job may renew, release or report it,
//! - the state of the job: a job that is over changes nothing any more.
//!
//! What a report or silence leads to is decided in `life`. This folder knows nothing about HTTP or signatures (`http`),
//! or about when the sweep runs (`sweep`).

mod claims;
pub(crate) mod dead_letters;
mod demands;
mod report;
mod report_validation;
mod requeue;
mod sending;
mod silent_jobs;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use crate::life::claim::RequestTimes;
pub(crate) use crate::life::works::KnownFacts;
pub(crate) use claims::{claim, record_progress, release};
pub(crate) use report::{accept_report, fingerprint};
pub(crate) use report_validation::validate_report;
pub(crate) use requeue::{RequeueOutcome, requeue};
pub(crate) use sending::{send_held, send_or_leave};
pub(crate) use silent_jobs::recover_silent_jobs;
