//! The media processor: pulls queued uploads, drives ffmpeg in a sandbox, reports.
//!
//! `service` pulls and `job` tells what happens to one upload; `media` makes the renditions, `moderation` looks at them.
//! `edge`, `queue` and `store` are the three neighbours; only they know how each is spoken to.

pub mod arguments;
mod claims;
pub mod commands;
pub mod configuration;
mod confined;
pub mod edge;
pub mod failure;
pub mod heart;
pub mod http;
pub mod job;
pub mod logging;
pub mod measure;
pub mod media;
pub mod moderation;
pub mod pace;
pub mod patience;
pub mod queue;
pub mod secret;
pub mod service;
pub mod status_page;
pub mod store;
pub mod work_folder;
