//! The identifiers of the elements that are read.
//!
//! This module must not depend on what the elements contain.

use super::element::ElementId;

pub(super) const EBML: ElementId = 0x1A45_DFA3;
pub(super) const DOC_TYPE: ElementId = 0x4282;
pub(super) const SEGMENT: ElementId = 0x1853_8067;
pub(super) const INFO: ElementId = 0x1549_A966;
pub(super) const TIMESTAMP_SCALE: ElementId = 0x2A_D7B1;
pub(super) const DURATION: ElementId = 0x4489;
pub(super) const TRACKS: ElementId = 0x1654_AE6B;
pub(super) const TRACK_ENTRY: ElementId = 0xAE;
pub(super) const TRACK_NUMBER: ElementId = 0xD7;
pub(super) const TRACK_TYPE: ElementId = 0x83;
pub(super) const CODEC_ID: ElementId = 0x86;
pub(super) const CODEC_PRIVATE: ElementId = 0x63A2;
pub(super) const DEFAULT_DURATION: ElementId = 0x23_E383;
pub(super) const VIDEO: ElementId = 0xE0;
pub(super) const PIXEL_WIDTH: ElementId = 0xB0;
pub(super) const PIXEL_HEIGHT: ElementId = 0xBA;
pub(super) const DISPLAY_WIDTH: ElementId = 0x54B0;
pub(super) const DISPLAY_HEIGHT: ElementId = 0x54BA;
pub(super) const DISPLAY_UNIT: ElementId = 0x54B2;
pub(super) const PROJECTION: ElementId = 0x7670;
pub(super) const PROJECTION_ROLL: ElementId = 0x7675;
pub(super) const AUDIO: ElementId = 0xE1;
pub(super) const CHANNELS: ElementId = 0x9F;
pub(super) const SAMPLE_RATE: ElementId = 0xB5;
pub(super) const CONTENT_ENCODINGS: ElementId = 0x6D80;
pub(super) const CONTENT_ENCODING: ElementId = 0x6240;
pub(super) const CONTENT_ENCRYPTION: ElementId = 0x5035;
pub(super) const CLUSTER: ElementId = 0x1F43_B675;
pub(super) const TIMESTAMP: ElementId = 0xE7;
pub(super) const SIMPLE_BLOCK: ElementId = 0xA3;
pub(super) const BLOCK_GROUP: ElementId = 0xA0;
pub(super) const BLOCK: ElementId = 0xA1;
pub(super) const BLOCK_DURATION: ElementId = 0x9B;

/// Whether the element's children are walked. All other elements are skipped by their length.
pub(super) fn is_container(id: ElementId) -> bool {
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

/// Whether the element's value is read.
pub(super) fn has_value(id: ElementId) -> bool {
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
