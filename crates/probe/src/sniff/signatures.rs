//! The magic numbers of unsupported formats, so that a refusal can name the format.
//!
//! A table of data: extend it freely. This module must not contain the magic number of a supported container.

use crate::{ForeignClass, ForeignFile, PictureFormat};
use ForeignClass::{Archive, Audio, Document, Executable, Image, Playlist, Video};

/// The bytes expected at an offset.
type Signature = (usize, &'static [u8], ForeignClass, &'static str);

/// The first match wins.
const SIGNATURES: &[Signature] = &[
    (0, b"GIF87a", Image, "GIF"),
    (0, b"GIF89a", Image, "GIF"),
    (0, b"BM", Image, "BMP"),
    (0, b"II*\0", Image, "TIFF"),
    (0, b"MM\0*", Image, "TIFF"),
    (0, b"II+\0", Image, "BigTIFF"),
    // A visual object and its layer. Must come before the shorter number of ICO.
    (0, b"\0\0\x01\0\0\0\x01", Video, "raw MPEG-4 video"),
    (0, b"\0\0\x01\0", Image, "ICO"),
    (0, b"8BPS", Image, "Photoshop"),
    (0, b"\xFF\x0A", Image, "JPEG XL"),
    (0, b"\0\0\0\x0CJXL \r\n", Image, "JPEG XL"),
    (0, b"\0\0\0\x0CjP  \r\n", Image, "JPEG 2000"),
    (0, b"\xFF\x4F\xFF\x51", Image, "JPEG 2000"),
    (0, b"qoif", Image, "QOI"),
    (0, b"v/1\x01", Image, "OpenEXR"),
    (8, b"WAVE", Audio, "WAV"),
    (8, b"AIFF", Audio, "AIFF"),
    (8, b"AIFC", Audio, "AIFF"),
    (0, b"RF64", Audio, "WAV (RF64)"),
    (0, b"ID3", Audio, "MP3 or other audio with ID3 tags"),
    (0, b"fLaC", Audio, "FLAC"),
    (0, b"#!AMR", Audio, "AMR"),
    (0, b"#!SILK", Audio, "SILK"),
    (0, b"MThd", Audio, "MIDI"),
    (0, b"MAC ", Audio, "Monkey's Audio"),
    (0, b"wvpk", Audio, "WavPack"),
    (0, b"caff", Audio, "Core Audio"),
    (0, b".snd", Audio, "AU"),
    (0, b"\x0B\x77", Audio, "AC-3"),
    (0, b"\x7F\xFE\x80\x01", Audio, "DTS"),
    (0, b"MPCK", Audio, "Musepack"),
    (0, b"TTA1", Audio, "True Audio"),
    (0, b"DSD ", Audio, "DSF"),
    (0, b"#EXTM3U", Playlist, "HLS or M3U playlist"),
    (0, b"\xEF\xBB\xBF#EXTM3U", Playlist, "HLS or M3U playlist"),
    (0, b"ffconcat ", Playlist, "ffmpeg concat list"),
    (0, b"[playlist]", Playlist, "PLS playlist"),
    (0, b"[Reference]", Playlist, "ASX playlist"),
    (0, b"\x06\x0E\x2B\x34", Video, "MXF"),
    (0, b".RMF", Video, "RealMedia"),
    (0, b"nut/multimedia", Video, "NUT"),
    (0, b"YUV4MPEG2", Video, "YUV4MPEG"),
    (0, b"DKIF", Video, "IVF"),
    (0, b"FWS", Video, "Flash"),
    (0, b"CWS", Video, "Flash"),
    (0, b"ZWS", Video, "Flash"),
    (0, b"\xB7\xD8\x00\x20", Video, "WTV"),
    (0, b"\0\0\x01\xB3", Video, "raw MPEG video"),
    (0, b"\0\0\0\x01", Video, "raw H.264 or HEVC"),
    (0, b"\0\0\x01\x67", Video, "raw H.264"),
    (0, b"\0\0\x01\x40", Video, "raw HEVC"),
    (0, b"\0\0\x01\xB0", Video, "raw MPEG-4 video"),
    (0, b"FLIF", Image, "FLIF"),
    (0, b"PK\x03\x04", Archive, "ZIP"),
    (0, b"PK\x05\x06", Archive, "ZIP"),
    (0, b"\x1F\x8B", Archive, "gzip"),
    (0, b"7z\xBC\xAF\x27\x1C", Archive, "7-Zip"),
    (0, b"Rar!\x1A\x07", Archive, "RAR"),
    (0, b"\xFD7zXZ\0", Archive, "xz"),
    (0, b"BZh", Archive, "bzip2"),
    (0, b"\x28\xB5\x2F\xFD", Archive, "Zstandard"),
    (0, b"!<arch>", Archive, "ar"),
    (0, b"MSCF", Archive, "Cabinet"),
    (0, b"\x7FELF", Executable, "ELF"),
    (0, b"MZ", Executable, "Windows executable"),
    (0, b"\xFE\xED\xFA\xCE", Executable, "Mach-O"),
    (0, b"\xFE\xED\xFA\xCF", Executable, "Mach-O"),
    (0, b"\xCE\xFA\xED\xFE", Executable, "Mach-O"),
    (0, b"\xCF\xFA\xED\xFE", Executable, "Mach-O"),
    (0, b"\xCA\xFE\xBA\xBE", Executable, "Java class or Mach-O"),
    (0, b"\0asm", Executable, "WebAssembly"),
    (0, b"#!/", Executable, "script"),
    (0, b"dex\n", Executable, "Dalvik"),
    (0, b"%PDF-", Document, "PDF"),
    (0, b"{\\rtf", Document, "RTF"),
    (0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", Document, "Microsoft Office"),
    (0, b"SQLite format 3", Document, "SQLite"),
];

/// Identifies a format by its first sixteen bytes.
pub(super) fn by_magic(start: &[u8]) -> Option<ForeignFile> {
    if let Some(picture) = PictureFormat::of(start) {
        return Some(ForeignFile::new(Image, picture.name()));
    }
    let fits = |(at, magic, _, _): &&Signature| start.get(*at..).is_some_and(|bytes| bytes.starts_with(magic));
    SIGNATURES.iter().find(fits).map(|(_, _, class, name)| ForeignFile::new(*class, name))
}

/// Identifies formats without a magic number in the first sixteen bytes.
pub(super) fn without_magic(start: &[u8]) -> Option<ForeignFile> {
    if start.get(257..).is_some_and(|bytes| bytes.starts_with(b"ustar")) {
        return Some(ForeignFile::new(Archive, "tar"));
    }
    match start {
        // A frame sync of eleven bits. The layer bits distinguish AAC from MPEG audio.
        [0xFF, 0xF0 | 0xF1 | 0xF8 | 0xF9, ..] => Some(ForeignFile::new(Audio, "AAC")),
        [0xFF, second, ..] if second & 0xE0 == 0xE0 && second & 0x06 != 0 => Some(ForeignFile::new(Audio, "MP3")),
        _ => None,
    }
}
