//! The identifiers of the elements that matter.

use super::element::Id;

pub(super) const EBML: Id = 0x1A45_DFA3;
pub(super) const DOC_TYPE: Id = 0x4282;
pub(super) const SEGMENT: Id = 0x1853_8067;
pub(super) const INFO: Id = 0x1549_A966;
pub(super) const TIMESTAMP_SCALE: Id = 0x2A_D7B1;
pub(super) const DURATION: Id = 0x4489;
pub(super) const TRACKS: Id = 0x1654_AE6B;
pub(super) const TRACK_ENTRY: Id = 0xAE;
pub(super) const TRACK_NUMBER: Id = 0xD7;
pub(super) const TRACK_TYPE: Id = 0x83;
pub(super) const CODEC_ID: Id = 0x86;
pub(super) const CODEC_PRIVATE: Id = 0x63A2;
pub(super) const DEFAULT_DURATION: Id = 0x23_E383;
pub(super) const VIDEO: Id = 0xE0;
pub(super) const PIXEL_WIDTH: Id = 0xB0;
pub(super) const PIXEL_HEIGHT: Id = 0xBA;
pub(super) const DISPLAY_WIDTH: Id = 0x54B0;
pub(super) const DISPLAY_HEIGHT: Id = 0x54BA;
pub(super) const DISPLAY_UNIT: Id = 0x54B2;
pub(super) const PROJECTION: Id = 0x7670;
pub(super) const PROJECTION_ROLL: Id = 0x7675;
pub(super) const AUDIO: Id = 0xE1;
pub(super) const CHANNELS: Id = 0x9F;
pub(super) const SAMPLE_RATE: Id = 0xB5;
pub(super) const CONTENT_ENCODINGS: Id = 0x6D80;
pub(super) const CONTENT_ENCODING: Id = 0x6240;
pub(super) const CONTENT_ENCRYPTION: Id = 0x5035;
pub(super) const CLUSTER: Id = 0x1F43_B675;
pub(super) const TIMESTAMP: Id = 0xE7;
pub(super) const SIMPLE_BLOCK: Id = 0xA3;
pub(super) const BLOCK_GROUP: Id = 0xA0;
pub(super) const BLOCK: Id = 0xA1;
pub(super) const BLOCK_DURATION: Id = 0x9B;

/// Elements whose children are walked. All others are skipped by length.
pub(super) fn is_entered(id: Id) -> bool {
    matches!(
        id,
        EBML | SEGMENT
            | INFO
            | TRACKS
            | TRACK_ENTRY
            | VIDEO
            | PROJECTION
            | AUDIO
            | CONTENT_ENCODINGS
            | CONTENT_ENCODING
            | CLUSTER
            | BLOCK_GROUP
    )
}

/// Elements whose value is read.
pub(super) fn is_read(id: Id) -> bool {
    matches!(
        id,
        DOC_TYPE
            | TIMESTAMP_SCALE
            | DURATION
            | TRACK_NUMBER
            | TRACK_TYPE
            | CODEC_ID
            | CODEC_PRIVATE
            | DEFAULT_DURATION
            | PIXEL_WIDTH
            | PIXEL_HEIGHT
            | DISPLAY_WIDTH
            | DISPLAY_HEIGHT
            | DISPLAY_UNIT
            | PROJECTION_ROLL
            | CHANNELS
            | SAMPLE_RATE
            | TIMESTAMP
            | BLOCK_DURATION
    )
}
