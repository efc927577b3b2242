//! Contents for their owners: status, list, URLs, and the changes that an owner may make.
//!
//! This room decides when a content is public. It must not depend on how contents are served (`viewing`) or how
//! requests are parsed and answered (`http`).

pub(crate) mod captions;
pub(crate) mod compaction;
pub(crate) mod content_urls;
pub(crate) mod cursor;
pub(crate) mod entity_tag;
pub(crate) mod estimate;
pub(crate) mod events;
pub(crate) mod field_rules;
pub(crate) mod first_captions;
pub(crate) mod life;
pub(crate) mod list;
pub(crate) mod media_path;
pub(crate) mod owner_changes;
pub(crate) mod poll_advice;
pub(crate) mod schedule;
pub(crate) mod sent_pictures;
pub(crate) mod status;
pub(crate) mod test_videos;
pub(crate) mod update_outcome;
pub(crate) mod updates;

#[cfg(test)]
mod tests;
