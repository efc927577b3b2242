//! A part of a video.

/// A stretch of time, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeSpan {
    pub start: f64,
    pub end: f64,
}
