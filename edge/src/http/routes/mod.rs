//! The handlers, one file per resource: each reads the request, calls the core, and answers.

pub(super) mod accounts;
pub(super) mod api_keys;
pub(super) mod blocklist;
pub(super) mod categories;
pub(super) mod channel_moderation;
pub(super) mod content_search;
pub(super) mod contents;
#[cfg(feature = "development")]
pub(super) mod development;
pub(super) mod docs;
pub(super) mod events;
pub(super) mod flags;
pub(super) mod fsck;
pub(super) mod health;
pub(super) mod jobs;
pub(super) mod leaked_keys;
pub(super) mod media;
pub(super) mod moderation;
pub(super) mod oembed;
pub(super) mod openapi;
pub(super) mod operations;
pub(super) mod origin_keys;
pub(super) mod page;
pub(super) mod review;
pub(super) mod sessions;
pub(super) mod site;
mod small_form;
pub(super) mod staff;
pub(super) mod sweep;
pub(super) mod update_captions;
pub(super) mod update_content;
pub(super) mod update_thumbnail;
pub(super) mod upload_limits;
pub(super) mod upload_video;
pub(super) mod uploads;
pub(super) mod webhooks;
