//! The rules: each sets the new values for one command, or says why that is not possible.
//!
//! `consequences` adds what follows from new values: events, purges, entries of the removal log, clean-ups. A rule adds
//! only its own effects.

pub(crate) mod appeal;
pub(crate) mod failure;
pub(super) mod jobs;
pub(crate) mod moderator;
pub(crate) mod operator;
pub(crate) mod owner;
pub(crate) mod schedule;
pub(crate) mod storage;
pub(crate) mod sweep;
