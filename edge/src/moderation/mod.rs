//! Moderation at the edge: the blocklist that every report is compared with, what moderators see, and their
//! decisions.
//!
//! The findings of the origin's checks arrive with its report (`jobs`).

pub(crate) mod appeals;
pub(crate) mod blocked_files;
pub(crate) mod blocklist;
pub(crate) mod case;
pub(crate) mod content_search;
pub(crate) mod decisions;
pub(crate) mod evidence;
pub(crate) mod flags;
pub(crate) mod history;
pub(crate) mod kept_frames;
pub(crate) mod matches;
pub(crate) mod policies;
pub(crate) mod queue;
pub(crate) mod queue_groups;
pub(crate) mod recheck;
pub(crate) mod report_receipt;
pub(crate) mod review_address;
pub(crate) mod review_claims;
pub(crate) mod screening;
pub(crate) mod segment_cache;
pub(crate) mod segments;
pub(crate) mod statistics;
pub(crate) mod suspensions;

#[cfg(test)]
pub(crate) mod tests;
