//! The readers of single boxes, and the durations that follow from a movie's values.

mod durations;
mod readers;
mod walk;
