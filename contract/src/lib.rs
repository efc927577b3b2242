//! What both programs and every client must agree on: codes, wire types, paths, limits.
//!
//! Data and pure decisions only: no IO, no clock, no randomness, nothing of a platform.
#![forbid(unsafe_code)]

pub mod api;
mod error_code;
pub mod limits;
pub mod paths;

pub use error_code::ErrorCode;
