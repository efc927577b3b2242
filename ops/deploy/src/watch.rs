//! The metrics that `clipgate-watch` writes for Prometheus: the requests of the last minutes by route, and the outcome
//! of a test upload.
//!
//! `canary` and `traffic` collect the numbers, `exposition` writes them.

pub mod canary;
mod exposition;
pub mod traffic;
