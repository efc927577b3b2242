//! The life of a video: every way in which it changes, and the one place that writes it.
//!
//! - `content`, `job` and `life` are the rows.
//! - `decide` is the state machine: it says for each command what changes, with all consequences (`rules`,
//!   `consequences`). `works` has the kinds of jobs. `turn` orders the jobs that wait. `patience` says
//!   how long a change waits for its turn. All of this is pure.
//! - `door` reads rows, calls `decide`, and writes the change in one transaction. Nothing else writes `contents` or
//!   `jobs`, except for single statements that avoid races: `begin` (an upload becomes a content) and `claim` (claims,
//!   heartbeats and releases of jobs, and each channel's share of the queue).

pub(crate) mod begin;
pub(crate) mod change;
pub(crate) mod claim;
mod consequences;
pub(crate) mod content;
mod decide;
pub(crate) mod door;
pub(crate) mod job;
mod json_text;
pub(crate) mod label;
#[expect(clippy::module_inception, reason = "the rows of a life")]
pub(crate) mod life;
pub(crate) mod packed_media;
mod patience;
pub(crate) mod rules;
mod turn;
pub(crate) mod works;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub(crate) use content::{Content, Source, Thumbnail};
pub(crate) use decide::{Command, Decision, decide};
pub(crate) use job::{Input, JobState};
pub(crate) use life::Life;
pub(crate) use patience::Patience;
