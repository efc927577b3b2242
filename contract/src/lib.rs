//! What both programs and every client must agree on: codes, wire types, states, paths, limits, signatures.
//!
//! Data and pure decisions only: no IO, no clock, no randomness, nothing of a platform.
#![forbid(unsafe_code)]

pub mod api;
pub mod blocklist;
mod error_code;
mod hexadecimal;
pub mod job;
pub mod limits;
pub mod moderation;
mod object_key;
pub mod paths;
mod picture_hash;
pub mod signature;
mod state;

pub use error_code::ErrorCode;
pub use hexadecimal::hexadecimal;
pub use job::{JOB_VERSION, JobMessage};
pub use object_key::{MediaFile, ObjectKey, THUMBNAIL_WIDTHS};
pub use picture_hash::{NotAPictureHash, PictureHash};
pub use state::{ContentState, Event, STEPS, Stage};
