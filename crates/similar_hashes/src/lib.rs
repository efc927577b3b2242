//! Finds the hashes of a long list that are similar to a frame of a video, in any orientation, with inverted colours or
//! without.
//!
//! The search looks at every hash. An index cannot avoid that: two hashes match if up to 72 of their 256 bits differ.
//! If they are cut into 13 parts of 20 bits, one part may still differ in 5 bits, so an index would have to be asked
//! for 21,700 values of each part, which costs more than comparing a million hashes. Instead, comparing is cheap:
//!
//! - The frames are grouped: the pictures of one scene have similar hashes, and a hash that is far from one of them is
//!   far enough from all (`frame_groups`).
//! - Each byte of a hash is compared with 96 groups at once, by looking its differences up (`distance_tables`).
//! - Mirrored pictures and inverted colours cost nearly nothing more (`sorted_bits`).
//!
//! `blocklist_search` compares the hashes that are similar, and says what they mean for the video. `nearest_frame` says
//! which frame a moderator should look at, and `similar_videos` which videos they may decide about together.
//!
//! This is a crate of its own because it is optimised for speed, and the Worker for size. It must not depend on where
//! the list is kept.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod blocklist_search;
mod distance_tables;
mod frame_groups;
mod nearest_frame;
mod similar_videos;
mod sorted_bits;

pub use blocklist_search::{BlockedFrame, BlocklistSearch, MIN_REJECT_FRAMES, REJECT_SHARE};
pub use frame_groups::FrameGroups;
pub use nearest_frame::{NearestFrame, nearest_frame};
pub use similar_videos::group_similar;
pub use sorted_bits::pack;

/// Two frames whose hashes differ in at most this many bits, in any appearance, match. `docs/moderation.md` has the
/// measurements.
pub const MAX_DISTANCE_BITS: u32 = 72;
