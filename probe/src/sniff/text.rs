//! Classifies text: playlists and manifests that refer to other files, web pages, scripts, and plain text.
//!
//! Manifests have their own class because they are an attack on any program that opens them, not a mistake. This module
//! must not open anything that the text refers to.

use crate::bytes::find;
use crate::{ForeignClass, ForeignFile};
use ForeignClass::{Document, Image, Playlist, Text};

/// Words that identify a manifest anywhere in the first two kilobytes.
const MARKS: &[(&[u8], ForeignClass, &str)] = &[
    (b"<mpd", Playlist, "DASH manifest"),
    (b"<smoothstreamingmedia", Playlist, "Smooth Streaming manifest"),
    (b"<smil", Playlist, "SMIL playlist"),
    (b"<asx", Playlist, "ASX playlist"),
    (b"<playlist", Playlist, "XSPF playlist"),
    (b"#extm3u", Playlist, "HLS or M3U playlist"),
    (b"rtsptext", Playlist, "RTSP reference"),
    (b"<svg", Image, "SVG"),
    (b"<!doctype html", Document, "HTML"),
    (b"<html", Document, "HTML"),
    (b"<?xml", Document, "XML"),
    (b"webvtt", Text, "WebVTT subtitles"),
];

/// Classifies the text. Returns `None` if the bytes are not text.
pub(super) fn classify(start: &[u8]) -> Option<ForeignFile> {
    if start.is_empty() || start.iter().any(|byte| is_binary(*byte)) {
        return None;
    }
    let lower = start.to_ascii_lowercase();
    let mark = MARKS.iter().find(|(mark, _, _)| find(&lower, mark).is_some());
    Some(match (mark, lower.trim_ascii_start()) {
        (Some((_, class, name)), _) => ForeignFile::new(*class, name),
        (None, [b'{' | b'[', ..]) => ForeignFile::new(Document, "JSON"),
        _ => ForeignFile::new(Text, "plain text"),
    })
}

/// Whether the byte is a control character that does not occur in text files.
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=8 | 14..=26 | 28..=31)
}
