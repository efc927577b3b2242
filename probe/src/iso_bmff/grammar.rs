//! Tables of the boxes that are read, of their parents, and of the boxes that may occur only once.
//!
//! ffmpeg reads a known box under any parent, other players only where it belongs. A file with a known box in a foreign
//! place is therefore refused. This module must not know what the boxes contain.

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
    /// Holds boxes behind a handler: they are walked because players read them.
    Metadata,
    Ignore,
    /// Some players read it here, although it does not belong here.
    Foreign,
}

/// A sample description contains parameter sets, and sometimes a colour profile. The codec, size, channels and pixel
/// aspect ratio are in its first bytes.
const SAMPLE_DESCRIPTION: u64 = 16 * 1024;
/// The data references of one track.
const REFERENCES: u64 = 4096;

pub(super) fn box_role(parent: Option<FourCc>, kind: FourCc) -> BoxRole {
    match (parent.as_ref(), &kind) {
        (None, b"moov" | b"moof")
        | (Some(b"moov"), b"trak" | b"mvex" | b"cmov")
        | (Some(b"trak"), b"mdia" | b"edts" | b"tref")
        | (Some(b"mdia"), b"minf")
        | (Some(b"minf"), b"stbl" | b"dinf")
        | (Some(b"moof"), b"traf")
        | (_, b"udta" | b"ilst") => BoxRole::Open,
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
        (Some(b"dinf"), b"dref") => BoxRole::Leaf(REFERENCES),
        (Some(b"stbl"), b"stsd") => BoxRole::Leaf(SAMPLE_DESCRIPTION),
        (None, b"mdat") => BoxRole::Media,
        (_, b"meta") => BoxRole::Metadata,
        _ if is_structure(kind) => BoxRole::Foreign,
        _ => BoxRole::Ignore,
    }
}

/// Whether players take their tracks and times from boxes of this kind.
pub(super) fn is_structure(kind: FourCc) -> bool {
    let kinds = b"moov hoov cmov trak mdia minf stbl edts elst stts ctts stsc stsz stz2 stco co64 stsd mvhd tkhd mdhd \
        hdlr mvex mehd trex moof traf tfhd tfdt trun sidx mdat ";
    kinds.chunks_exact(5).any(|known| known.starts_with(&kind))
}

/// Whether boxes of this kind are found at the top level of files.
pub(super) fn is_file_level(kind: FourCc) -> bool {
    let kinds = b"ftyp styp moov moof mdat free skip wide pnot sidx ssix prft emsg mfra uuid udta meta pdin ";
    kinds.chunks_exact(5).any(|known| known.starts_with(&kind))
}

/// Returns a bit for each kind of box that comes at most once in its parent. Alternatives share a bit.
pub(super) fn single(kind: FourCc) -> u32 {
    let kinds: [&[u8]; 18] = [
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
        b"mvex mehd",
        b"tfhd",
        b"tfdt",
    ];
    let names = |names: &&[u8]| names.split(|byte| *byte == b' ').any(|name| name == kind);
    kinds.iter().position(names).map_or(0, |index| 1 << index)
}
