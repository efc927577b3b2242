//! Similar videos: groups in the queue, and the matches of a video with the blocklist.

use super::BlockedHash;
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, review_url};
use serde::{Deserialize, Serialize};

/// The groups of similar videos that wait for a person, the longest-waiting first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct QueueGroups {
    pub success: bool,
    pub groups: Vec<QueueGroup>,
}

/// Videos of which at least half of the pictures resemble each other, or which are the same file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueGroup {
    /// The longest-waiting video first.
    pub content_uuids: Vec<String>,
    /// Whether all of them are the same file, byte for byte.
    pub is_same_file: bool,
}

/// The frames of a video that resemble blocked pictures, the most similar first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct BlocklistMatches {
    pub success: bool,
    pub matches: Vec<BlocklistMatch>,
    /// Whether hashes of the video's frames are stored. They are deleted together with its files.
    pub has_hashes: bool,
    /// Whether more blocked pictures match.
    pub has_more: bool,
}

/// A frame of a video, and the blocked picture that it resembles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BlocklistMatch {
    /// The time of the frame.
    pub at_ms: u64,
    /// The hash of the frame.
    pub hash: String,
    /// The number of bits, of 256, in which the hashes differ after the blocked picture is turned as described below.
    pub distance_bits: u32,
    /// The angle by which the blocked picture is turned clockwise: 0, 90, 180 or 270.
    pub turned_degrees: u32,
    /// Whether the blocked picture is mirrored left to right, before it is turned.
    pub is_mirrored: bool,
    /// Whether the colors of the blocked picture are inverted.
    pub is_inverted: bool,
    pub blocked: BlockedHash,
    /// The URL of the storyboard of the removed video that the blocked picture was taken from. It works for 15 minutes
    /// without a token. Null if a person added the hash, or if the file is no longer stored.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub storyboard_url: Option<String>,
    /// The URL of the list of the storyboard's pictures.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub storyboard_vtt_url: Option<String>,
}

/// The stored frame that is nearest to a time in a video.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct FrameFound {
    pub success: bool,
    /// Null if no hash of the video is stored: its pictures have too little detail, or its files are deleted.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub frame: Option<StoredFrame>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoredFrame {
    pub at_ms: u64,
    pub hash: String,
    /// Whether exactly this hash is on the blocklist.
    pub is_blocked: bool,
}

#[cfg(feature = "openapi")]
impl QueueGroups {
    pub fn example() -> Self {
        let other = "7c1d5e0a-8b1f-4e6c-9d27-51a0c3f2be68";
        let content_uuids = vec![CONTENT_UUID.to_owned(), other.to_owned()];
        Self { success: true, groups: vec![QueueGroup { content_uuids, is_same_file: false }] }
    }
}

#[cfg(feature = "openapi")]
impl BlocklistMatches {
    pub fn example() -> Self {
        let content_uuid = Some(CONTENT_UUID.to_owned());
        let blocked = BlockedHash { content_uuid, at_ms: Some(7_000), ..BlockedHash::example() };
        let matching = BlocklistMatch {
            at_ms: 2_500,
            hash: "0e".repeat(32),
            distance_bits: 32,
            turned_degrees: 0,
            is_mirrored: true,
            is_inverted: false,
            blocked,
            storyboard_url: Some(review_url("storyboard.jpg")),
            storyboard_vtt_url: Some(review_url("storyboard.vtt")),
        };
        Self { success: true, matches: vec![matching], has_hashes: true, has_more: false }
    }
}

#[cfg(feature = "openapi")]
impl FrameFound {
    pub fn example() -> Self {
        let frame = StoredFrame { at_ms: 7_000, hash: "0f".repeat(32), is_blocked: false };
        Self { success: true, frame: Some(frame) }
    }
}
