//! The media processor: pulls jobs from the queue, turns uploads into renditions with ffmpeg in a sandbox, and reports
//! the outcome to the edge.
//!
//! Folders import only folders below them in this list; a test keeps the imports free of cycles.

#![forbid(unsafe_code)]

pub mod cli;
pub mod service;

pub mod job;
pub mod sandboxing;

pub mod moderation;

pub mod build;
pub mod clients;
pub mod media;
pub mod retry;
pub mod telemetry;
