//! The media processor: pulls queued uploads, drives ffmpeg in a sandbox, reports.

pub mod arguments;
pub mod configuration;
pub mod edge;
pub mod failure;
pub mod heart;
pub mod logging;
pub mod measure;
pub mod secret;
pub mod status_page;
pub mod store;
pub mod work_folder;
