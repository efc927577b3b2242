//! What kind of ISO-BMFF file it is, by its brand: a movie of some flavour, or a still picture.

use crate::Container;

pub(crate) enum Flavour {
    Movie(Container),
    Picture(&'static str),
}

/// The boxes that a file may begin with.
pub(crate) fn is_opening_box(kind: &[u8]) -> bool {
    matches!(
        kind,
        b"ftyp"
            | b"styp"
            | b"moov"
            | b"moof"
            | b"mdat"
            | b"free"
            | b"skip"
            | b"wide"
            | b"pnot"
            | b"sidx"
            | b"prft"
            | b"emsg"
    )
}

/// By the major brand; files older than brands are `QuickTime`'s.
pub(crate) fn flavour(start: &[u8]) -> Flavour {
    if !matches!(start.get(4..8), Some(b"ftyp" | b"styp")) {
        return Flavour::Movie(Container::Quicktime);
    }
    match start.get(8..12).unwrap_or_default() {
        b"avif" | b"avis" => Flavour::Picture("AVIF"),
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"mif2" | b"msf1" => {
            Flavour::Picture("HEIF")
        }
        b"crx " => Flavour::Picture("Canon raw"),
        b"qt  " => Flavour::Movie(Container::Quicktime),
        [b'3', b'g', ..] => Flavour::Movie(Container::ThreeGp),
        _ => Flavour::Movie(Container::Mp4),
    }
}
