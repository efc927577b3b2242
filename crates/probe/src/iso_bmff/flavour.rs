//! Identifies the kind of an ISO-BMFF file by its brand: a movie container or a still picture.
//!
//! This module must not depend on what follows the first box.

use crate::Container;

pub(crate) enum Flavour {
    Movie(Container),
    StillPicture(&'static str),
}

/// The boxes that a file may begin with. If it begins with another box, players may take it for another format.
pub(crate) fn is_opening_box(kind: &[u8]) -> bool {
    matches!(kind, b"ftyp" | b"styp" | b"moov" | b"mdat" | b"free" | b"skip" | b"wide" | b"pnot" | b"sidx")
}

/// Decides by the major brand. Files without a brand are `QuickTime`: it is older than brands.
pub(crate) fn flavour_of(start: &[u8]) -> Flavour {
    if !matches!(start.get(4..8), Some(b"ftyp" | b"styp")) {
        return Flavour::Movie(Container::Quicktime);
    }
    match start.get(8..12).unwrap_or_default() {
        b"avif" | b"avis" => Flavour::StillPicture("AVIF"),
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"mif2" | b"msf1" => {
            Flavour::StillPicture("HEIF")
        }
        b"jp2 " | b"jpx " => Flavour::StillPicture("JPEG 2000"),
        b"crx " => Flavour::StillPicture("Canon raw"),
        b"qt  " => Flavour::Movie(Container::Quicktime),
        [b'3', b'g', ..] => Flavour::Movie(Container::ThreeGp),
        _ => Flavour::Movie(Container::Mp4),
    }
}
