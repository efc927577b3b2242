//! Contents for their owners: their status, their list, their URLs, and the changes that an owner may make.
//!
//! This folder decides when a content is public. It neither serves it (`serving`) nor parses or answers requests
//! (`http`).

pub(crate) mod captions;
pub(crate) mod content_urls;
pub(crate) mod cursor;
pub(crate) mod entity_tag;
pub(crate) mod field_rules;
pub(crate) mod first_captions;
pub(crate) mod list;
pub(crate) mod media_path;
pub(crate) mod owner_changes;
pub(crate) mod poll_advice;
pub(crate) mod schedule;
pub(crate) mod sent_pictures;
pub(crate) mod status;
pub(crate) mod update_outcome;
pub(crate) mod updates;

#[cfg(test)]
mod tests;
