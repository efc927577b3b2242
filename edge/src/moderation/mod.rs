//! Moderation at the edge: the blocklist that every report is compared with, and the decisions of moderators.
//!
//! The findings of the origin's checks arrive with its report (`jobs`).

pub(crate) mod blocked_files;
pub(crate) mod blocklist;
pub mod blocklist_search;
pub(crate) mod content_search;
pub(crate) mod decisions;
pub(crate) mod history;
pub(crate) mod kept_frames;
pub(crate) mod queue;
pub(crate) mod screening;

#[cfg(test)]
mod tests;
