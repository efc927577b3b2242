//! The tags for purging the cache in front of the Worker: a response has the tags of what it shows.

use crate::base::ids::{ChannelId, ContentUuid};

/// Returns the tag of all responses that show a content.
pub(crate) fn tag_of_content(content: &ContentUuid) -> String {
    format!("content-{content}")
}

/// Returns the tag of the files that one job of a content made.
pub(crate) fn tag_of_generation(content: &ContentUuid, generation: u64) -> String {
    format!("content-{content}-{generation}")
}

/// Prefixes of the tags of a channel.
pub(super) const CHANNEL: &str = "channel-";
pub(super) const CHANNEL_FILES: &str = "files-of-channel-";

/// Returns the tag of the pages that show the name of a channel.
pub(crate) fn tag_of_channel(channel: ChannelId) -> String {
    format!("{CHANNEL}{channel}")
}

/// Returns the tag of the files of a channel.
pub(crate) fn tag_of_channel_files(channel: ChannelId) -> String {
    format!("{CHANNEL_FILES}{channel}")
}
