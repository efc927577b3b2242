//! The media processor: pulls queued uploads, drives ffmpeg in a sandbox, reports.

pub mod media;
