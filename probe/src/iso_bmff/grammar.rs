//! Which boxes matter, and where: the whole grammar as one table.
//!
//! A box is opened only below the parent that it belongs to, so nesting is as deep as this table and no deeper.

use super::boxes::Kind;

pub(super) enum Role {
    /// Its children are walked.
    Open,
    /// Its first bytes are read in one piece.
    Leaf(u64),
    /// Its entries are read one after the other and not kept.
    Table,
    /// Holds the media itself.
    Media,
    Ignore,
}

/// The sample description can be long; codec, size, channels and pixel aspect stand in its first bytes.
const SAMPLE_DESCRIPTION: u64 = 4096;

pub(super) fn role(parent: Option<Kind>, kind: Kind) -> Role {
    match (parent.as_ref(), &kind) {
        (None, b"moov" | b"moof")
        | (Some(b"moov"), b"trak" | b"mvex" | b"cmov")
        | (Some(b"trak"), b"mdia" | b"edts" | b"tref")
        | (Some(b"mdia"), b"minf")
        | (Some(b"minf"), b"stbl" | b"dinf")
        | (Some(b"moof"), b"traf") => Role::Open,
        (Some(b"edts"), b"elst")
        | (Some(b"stbl"), b"stts" | b"stsz" | b"stz2" | b"stco" | b"co64")
        | (Some(b"traf"), b"trun")
        | (None, b"sidx") => Role::Table,
        (Some(b"moov"), b"mvhd")
        | (Some(b"trak"), b"tkhd")
        | (Some(b"mdia"), b"mdhd" | b"hdlr")
        | (Some(b"dinf"), b"dref")
        | (Some(b"tref"), b"chap")
        | (Some(b"mvex"), b"mehd" | b"trex")
        | (Some(b"traf"), b"tfhd" | b"tfdt") => Role::Leaf(128),
        (Some(b"stbl"), b"stsd") => Role::Leaf(SAMPLE_DESCRIPTION),
        (None, b"mdat") => Role::Media,
        _ => Role::Ignore,
    }
}
