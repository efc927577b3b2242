//! Which boxes are read, and under which parent, as one table.
//!
//! A box is entered only under its expected parent, so nesting is never deeper than this table. This module must not
//! know what the boxes contain.

use crate::bytes::FourCc;

pub(super) enum BoxRole {
    /// Its children are walked.
    Open,
    /// Its first bytes are read in one piece.
    Leaf(u64),
    /// Its entries are read one by one and not stored.
    Table,
    /// Holds the media data.
    Media,
    Ignore,
}

/// A sample description can be long, but the codec, size, channels and pixel aspect ratio are in its first bytes.
const SAMPLE_DESCRIPTION: u64 = 4096;

pub(super) fn box_role(parent: Option<FourCc>, kind: FourCc) -> BoxRole {
    match (parent.as_ref(), &kind) {
        (None, b"moov" | b"moof")
        | (Some(b"moov"), b"trak" | b"mvex" | b"cmov")
        | (Some(b"trak"), b"mdia" | b"edts" | b"tref")
        | (Some(b"mdia"), b"minf")
        | (Some(b"minf"), b"stbl" | b"dinf")
        | (Some(b"moof"), b"traf") => BoxRole::Open,
        (Some(b"edts"), b"elst")
        | (Some(b"stbl"), b"stts" | b"stsz" | b"stz2" | b"stco" | b"co64")
        | (Some(b"traf"), b"trun")
        | (None, b"sidx") => BoxRole::Table,
        (Some(b"moov"), b"mvhd")
        | (Some(b"trak"), b"tkhd")
        | (Some(b"mdia"), b"mdhd" | b"hdlr")
        | (Some(b"dinf"), b"dref")
        | (Some(b"tref"), b"chap")
        | (Some(b"mvex"), b"mehd" | b"trex")
        | (Some(b"traf"), b"tfhd" | b"tfdt") => BoxRole::Leaf(128),
        (Some(b"stbl"), b"stsd") => BoxRole::Leaf(SAMPLE_DESCRIPTION),
        (None, b"mdat") => BoxRole::Media,
        _ => BoxRole::Ignore,
    }
}
