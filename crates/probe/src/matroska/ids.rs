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
/// The nanoseconds by which players show the track earlier.
pub(super) const CODEC_DELAY: ElementId = 0x56AA;
/// Obsolete: stretches the times of one track.
pub(super) const TRACK_TIMESTAMP_SCALE: ElementId = 0x23_314F;
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
pub(super) const BIT_DEPTH: ElementId = 0x6264;
pub(super) const CONTENT_ENCODINGS: ElementId = 0x6D80;
pub(super) const CONTENT_ENCODING: ElementId = 0x6240;
pub(super) const CONTENT_ENCRYPTION: ElementId = 0x5035;
pub(super) const SEEK_HEAD: ElementId = 0x114D_9B74;
pub(super) const SEEK: ElementId = 0x4DBB;
pub(super) const SEEK_ID: ElementId = 0x53AB;
pub(super) const SEEK_POSITION: ElementId = 0x53AC;
pub(super) const CUES: ElementId = 0x1C53_BB6B;
pub(super) const CLUSTER: ElementId = 0x1F43_B675;
pub(super) const TIMESTAMP: ElementId = 0xE7;
pub(super) const SIMPLE_BLOCK: ElementId = 0xA3;
pub(super) const BLOCK_GROUP: ElementId = 0xA0;
pub(super) const BLOCK: ElementId = 0xA1;
pub(super) const BLOCK_DURATION: ElementId = 0x9B;

/// Every element whose children are walked.
const PARENTS: &[ElementId] = &[
    EBML,
    SEGMENT,
    SEEK_HEAD,
    SEEK,
    INFO,
    TRACKS,
    TRACK_ENTRY,
    VIDEO,
    PROJECTION,
    AUDIO,
    CONTENT_ENCODINGS,
    CONTENT_ENCODING,
    CLUSTER,
    BLOCK_GROUP,
];

const ROOT: &[ElementId] = &[EBML, SEGMENT];

/// Returns the children that are read.
fn children(parent: ElementId) -> &'static [ElementId] {
    match parent {
        CLUSTER => &[SIMPLE_BLOCK, BLOCK_GROUP, TIMESTAMP],
        BLOCK_GROUP => &[BLOCK, BLOCK_DURATION],
        EBML => &[DOC_TYPE],
        SEGMENT => &[CLUSTER, SEEK_HEAD, INFO, TRACKS],
        SEEK_HEAD => &[SEEK],
        SEEK => &[SEEK_ID, SEEK_POSITION],
        INFO => &[TIMESTAMP_SCALE, DURATION],
        TRACKS => &[TRACK_ENTRY],
        TRACK_ENTRY => &[
            TRACK_NUMBER,
            TRACK_TYPE,
            CODEC_ID,
            CODEC_PRIVATE,
            DEFAULT_DURATION,
            CODEC_DELAY,
            TRACK_TIMESTAMP_SCALE,
            VIDEO,
            AUDIO,
            CONTENT_ENCODINGS,
        ],
        VIDEO => &[PIXEL_WIDTH, PIXEL_HEIGHT, DISPLAY_WIDTH, DISPLAY_HEIGHT, DISPLAY_UNIT, PROJECTION],
        PROJECTION => &[PROJECTION_ROLL],
        AUDIO => &[CHANNELS, SAMPLE_RATE, BIT_DEPTH],
        CONTENT_ENCODINGS => &[CONTENT_ENCODING],
        CONTENT_ENCODING => &[CONTENT_ENCRYPTION],
        _ => &[],
    }
}

/// Elements that players use once in their parent.
const SINGLE: &[ElementId] = &[
    TIMESTAMP_SCALE,
    DURATION,
    TRACK_NUMBER,
    TRACK_TYPE,
    CODEC_ID,
    DEFAULT_DURATION,
    CODEC_DELAY,
    TRACK_TIMESTAMP_SCALE,
    VIDEO,
    AUDIO,
    TIMESTAMP,
    BLOCK,
    BLOCK_DURATION,
    INFO,
    TRACKS,
];

/// Other elements at the top of a segment, in a cluster and everywhere: cues, chapters, tags, attachments; the position
/// and previous size of a cluster, silent tracks, encrypted blocks; filling and checksums.
const SKIPPED: &[ElementId] = &[CUES, 0x1043_A770, 0x1254_C367, 0x1941_A469, 0xA7, 0xAB, 0x5854, 0xAF, VOID, CHECKSUM];

const VOID: ElementId = 0xEC;
const CHECKSUM: ElementId = 0xBF;

/// Whether elements of this kind are at the top of a segment, and players search for them.
pub(super) fn is_top(id: ElementId) -> bool {
    matches!(id, CLUSTER | SEEK_HEAD | INFO | TRACKS | CUES | 0x1043_A770 | 0x1254_C367 | 0x1941_A469)
}

/// Whole numbers that players know, in the order of the elements around them: file, index, information, track, video,
/// colour, projection, sound, encodings, operations, mappings, attachments, chapters, cues, tags and clusters.
const WHOLE_NUMBERS: &[ElementId] = &[
    0x4286,
    0x42F7,
    0x42F2,
    0x42F3,
    0x4287,
    0x4285,
    SEEK_ID,
    SEEK_POSITION,
    TIMESTAMP_SCALE,
    TRACK_NUMBER,
    0x73C5,
    TRACK_TYPE,
    DEFAULT_DURATION,
    0xB9,
    0x88,
    0x55AA,
    0x55AB,
    0x55AC,
    0x55AD,
    0x55AE,
    0x55AF,
    0x9C,
    CODEC_DELAY,
    0x56BB,
    0x55EE,
    0xAA,
    0x6DE7,
    0x6DF8,
    0x6FAB,
    PIXEL_WIDTH,
    PIXEL_HEIGHT,
    DISPLAY_WIDTH,
    DISPLAY_HEIGHT,
    DISPLAY_UNIT,
    0x9A,
    0x9D,
    0x53B8,
    0x53C0,
    0x54AA,
    0x54BB,
    0x54CC,
    0x54DD,
    0x54B3,
    0x55B1,
    0x55B2,
    0x55B3,
    0x55B4,
    0x55B5,
    0x55B6,
    0x55B7,
    0x55B8,
    0x55B9,
    0x55BA,
    0x55BB,
    0x55BC,
    0x55BD,
    0x7671,
    CHANNELS,
    BIT_DEPTH,
    0x5031,
    0x5032,
    0x5033,
    0x4254,
    0x47E1,
    0x47E5,
    0x47E6,
    0xE5,
    0xE6,
    0x41F0,
    0x41E7,
    0x46AE,
    0x45BC,
    0x45BD,
    0x45DB,
    0x45DD,
    0x73C4,
    0x91,
    0x92,
    0x98,
    0x4598,
    0xB3,
    0xF7,
    0xF1,
    0xF0,
    0xB2,
    0x5378,
    0x68CA,
    0x63C5,
    0x63C4,
    0x63C6,
    0x63C9,
    0x4484,
    TIMESTAMP,
    0xA7,
    0xAB,
    BLOCK_DURATION,
    0xFB,
    0x75A2,
    0xEE,
];

/// Numbers with fractions that players know, in the same order.
const FRACTIONS: &[ElementId] = &[
    DURATION,
    TRACK_TIMESTAMP_SCALE,
    0x23_83E3,
    0x55D1,
    0x55D2,
    0x55D3,
    0x55D4,
    0x55D5,
    0x55D6,
    0x55D7,
    0x55D8,
    0x55D9,
    0x55DA,
    0x7673,
    0x7674,
    PROJECTION_ROLL,
    SAMPLE_RATE,
    0x78B5,
];

/// Texts that players know, in the same order.
const TEXTS: &[ElementId] = &[
    DOC_TYPE, 0x7BA9, 0x4D80, 0x5741, 0x22_B59C, 0x22_B59D, 0x536E, CODEC_ID, 0x41A4, 0x466E, 0x4660, 0x467E, 0x85,
    0x437C, 0x437E, 0x45A3, 0x4487, 0x447A, 0x63CA,
];

/// Whether players accept an element with content of this length. After any other, they search for elements.
pub(super) fn is_possible(id: ElementId, size: Option<u64>) -> bool {
    match size {
        None => ![WHOLE_NUMBERS, FRACTIONS, TEXTS].iter().any(|known| known.contains(&id)) && !is_value(id),
        Some(size) if WHOLE_NUMBERS.contains(&id) => size <= 8,
        Some(size) if FRACTIONS.contains(&id) => matches!(size, 0 | 4 | 8),
        Some(size) if is_block(id) => size <= LONGEST_BLOCK,
        Some(size) => size <= LONGEST_TEXT || !(is_value(id) || TEXTS.contains(&id)),
    }
}

/// Players accept texts up to this length.
const LONGEST_TEXT: u64 = 16 * 1024 * 1024;

/// Players accept frames up to this length. After a longer one, they search for elements.
const LONGEST_BLOCK: u64 = 256 * 1024 * 1024;

fn is_block(id: ElementId) -> bool {
    matches!(id, BLOCK | SIMPLE_BLOCK)
}

/// Whether the element is read and contains no others.
fn is_value(id: ElementId) -> bool {
    is_known(id) && !is_container(id)
}

pub(super) fn is_child(parent: Option<ElementId>, id: ElementId) -> bool {
    parent.map_or(ROOT, children).contains(&id)
}

/// Whether the element is read somewhere.
pub(super) fn is_known(id: ElementId) -> bool {
    ROOT.contains(&id) || PARENTS.iter().any(|parent| children(*parent).contains(&id))
}

/// Whether `first` may be the first element in an element of the kind `top`.
pub(super) fn may_begin(top: ElementId, first: ElementId) -> bool {
    let others: &[ElementId] = match top {
        CLUSTER => &[0xA7, 0xAB, 0xAF, 0x5854],
        INFO => &[
            0x73A4, 0x7384, 0x3C_B923, 0x3C_83AB, 0x3E_B923, 0x3E_83BB, 0x4444, 0x6924, 0x4461, 0x7BA9, 0x4D80, 0x5741,
        ],
        _ => &[],
    };
    is_filling(first) || is_child(Some(top), first) || others.contains(&first)
}

/// Whether players never look into the element.
pub(super) fn is_filling(id: ElementId) -> bool {
    matches!(id, VOID | CHECKSUM)
}

pub(super) fn is_skipped(id: ElementId) -> bool {
    SKIPPED.contains(&id)
}

pub(super) fn is_container(id: ElementId) -> bool {
    PARENTS.contains(&id)
}

/// Returns the bit of an element that may come only once in its parent.
pub(super) fn single(id: ElementId) -> Option<u32> {
    SINGLE.iter().position(|single| *single == id).map(|index| 1 << index)
}
