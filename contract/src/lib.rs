//! What both programs and every client must agree on: codes, wire types, paths, limits.
//!
//! Data and pure decisions only: no IO, no clock, no randomness, nothing of a platform.
#![forbid(unsafe_code)]

pub mod api;
mod error_code;
mod job;
pub mod limits;
mod object_key;
pub mod paths;

pub use error_code::ErrorCode;
pub use job::{JOB_VERSION, JobMessage};
pub use object_key::ObjectKey;
