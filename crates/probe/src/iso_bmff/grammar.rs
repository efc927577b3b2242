//! Tables of the boxes that are read, of their parents, and of the boxes that may occur only once.
//!
//! ffmpeg reads a known box under any parent, other players only where it belongs. A file with a known box in a foreign
//! place is therefore refused. This module must not know what the boxes contain.

use super::{handler, sample_entry, track};
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
    /// Holds boxes after a handler. They are walked because players read them.
    Metadata,
    /// Its content is searched for boxes that do not belong there.
    Search,
    /// Filling, which players never look into.
    Ignore,
    /// Some players read it here, although it does not belong here.
    Foreign,
}

/// The data references of one track.
const REFERENCES: u64 = 4096;

pub(super) fn box_role(parent: Option<FourCc>, kind: FourCc) -> BoxRole {
    match (parent.as_ref(), &kind) {
        (None, b"moov" | b"moof")
        | (Some(b"moov"), b"trak" | b"mvex" | b"cmov")
        | (Some(b"trak"), b"mdia" | b"edts" | b"tref")
        | (Some(b"mdia"), b"minf")
        | (Some(b"minf"), b"stbl" | b"dinf")
        | (Some(b"meta"), b"dinf")
        | (Some(b"moof"), b"traf")
        | (_, b"udta" | b"ilst" | b"sinf" | b"schi" | b"wave") => BoxRole::Open,
        (Some(b"edts"), b"elst")
        | (Some(b"stbl"), b"stts" | b"ctts" | b"stsc" | b"stsz" | b"stz2" | b"stco" | b"co64")
        | (Some(b"traf"), b"trun")
        | (None, b"sidx") => BoxRole::Table,
        (Some(b"moov"), b"mvhd")
        | (Some(b"trak"), b"tkhd")
        | (Some(b"mdia"), b"mdhd")
        | (Some(b"mdia" | b"minf" | b"meta"), b"hdlr")
        | (Some(b"tref"), b"chap")
        | (Some(b"mvex"), b"mehd" | b"trex")
        | (Some(b"traf"), b"tfhd" | b"tfdt") => BoxRole::Leaf(128),
        (Some(b"trak" | b"mdia" | b"minf" | b"stbl"), b"schm") => BoxRole::Leaf(8),
        (Some(b"dinf"), b"dref") => BoxRole::Leaf(REFERENCES),
        (Some(b"stbl"), b"stsd") => BoxRole::Leaf(sample_entry::LONGEST),
        (None, b"mdat") => BoxRole::Media,
        (_, b"meta") => BoxRole::Metadata,
        (None, b"mfra") => BoxRole::Search,
        (_, b"free" | b"skip") => BoxRole::Ignore,
        _ if is_structure(kind) => BoxRole::Foreign,
        _ => BoxRole::Search,
    }
}

/// Defines the kinds of boxes that define tracks and times for players, as a list and as a fast test.
macro_rules! structures {
    ($($kind:literal)*) => {
        pub(super) const STRUCTURES: &[FourCc] = &[$(*$kind),*];

        /// Called for every name in skipped bytes, so it must be fast.
        pub(super) fn is_structure(kind: FourCc) -> bool {
            matches!(&kind, $($kind)|*)
        }
    };
}

structures! {
    b"moov" b"hoov" b"cmov" b"trak" b"tref" b"chap" b"mdia" b"minf" b"dinf" b"dref" b"stbl" b"edts" b"elst" b"stts" b"ctts"
    b"stsc" b"stsz" b"stz2" b"stco" b"co64" b"stsd" b"mvhd" b"tkhd" b"mdhd" b"hdlr" b"mvex" b"mehd" b"trex" b"moof"
    b"traf" b"tfhd" b"tfdt" b"trun" b"sidx" b"mfra" b"mdat" b"adrm"
}

/// Returns the minimum length of the content of a leaf or table. If a box is shorter, players read its missing fields
/// from the bytes after it.
pub(super) fn least_length(kind: FourCc) -> u64 {
    match &kind {
        b"chap" => 0,
        b"stsz" | b"stz2" => 12,
        b"trex" | b"sidx" => 24,
        _ => 8,
    }
}

/// Whether a box that is not a track's own would change the track for players that assign it to one.
pub(super) fn changes_track(kind: FourCc, body: &[u8]) -> bool {
    match &kind {
        b"hdlr" => handler::is_media(body),
        b"dref" => track::references(body).1 != 0,
        _ => false,
    }
}

/// Whether boxes of this kind are found at the top level of files.
pub(super) fn is_file_level(kind: FourCc) -> bool {
    let kinds = b"ftyp styp moov moof mdat free skip wide pnot sidx ssix prft emsg mfra uuid udta meta pdin ";
    kinds.chunks_exact(5).any(|known| known.starts_with(&kind))
}

/// Returns a bit for each kind of box that comes at most once in its parent. Alternatives share a bit.
pub(super) fn single(kind: FourCc) -> u32 {
    let kinds: [&[u8]; 21] = [
        b"mvhd",
        b"tkhd",
        b"mdia",
        b"mdhd",
        b"hdlr",
        b"minf",
        b"stbl",
        b"stsd",
        b"stts",
        b"ctts",
        b"stsc",
        b"stsz stz2",
        b"stco co64",
        b"edts",
        b"elst",
        b"tref",
        b"dinf",
        b"dref",
        b"mvex mehd",
        b"tfhd",
        b"tfdt",
    ];
    let names = |names: &&[u8]| names.split(|byte| *byte == b' ').any(|name| name == kind);
    kinds.iter().position(names).map_or(0, |index| 1 << index)
}
