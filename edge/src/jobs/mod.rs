//! The jobs of contents, from the side of origins: an origin claims a job, sends heartbeats and reports the result. If
//! origins fall silent, the sweep sends jobs again or starts new generations.
//!
//! Every change is one transaction and may be repeated. Three conditions protect a job from stale requests:
//! - the generation: a request about an older generation has no effect,
//! - the claim: only the origin that claimed the job may renew, release or report it,
//! - the state of the job: requests about a finished job change nothing.
//!
//! `contents::life` decides the consequences of a report or of silence. This room must not depend on HTTP and
//! signatures (`http`), or on when the sweep runs (`upkeep`).

mod claims;
pub(crate) mod dead_letters;
mod demands;
pub(crate) mod origin_keys;
mod report;
mod report_validation;
mod requeue;
mod sending;
mod silent_jobs;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use crate::contents::life::claim::RequestTimes;
pub(crate) use claims::{claim, record_progress, release};
#[cfg(test)]
pub(crate) use report::fingerprint;
pub(crate) use report::report;
pub(crate) use requeue::{RequeueOutcome, requeue};
pub(crate) use sending::{send_held, send_or_leave};
pub(crate) use silent_jobs::recover_silent_jobs;
