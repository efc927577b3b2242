//! The handlers, one file a resource: read the request, ask the thinking parts, answer.

pub mod api_keys;
pub mod categories;
pub mod contents;
#[cfg(feature = "development")]
pub mod development;
pub mod health;
mod input;
pub mod jobs;
pub mod media;
pub mod moderation;
pub mod openapi;
pub mod page;
pub mod sessions;
pub mod sweep;
pub mod upload_limits;
pub mod upload_video;
pub mod uploads;
