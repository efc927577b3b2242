//! The media processor: pulls queued uploads, drives ffmpeg in a sandbox, reports.

pub mod arguments;
pub mod configuration;
pub mod edge;
pub mod failure;
pub mod heart;
pub mod secret;
pub mod store;
pub mod work_folder;
