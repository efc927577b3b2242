//! Sorts text: playlists and manifests that name other files, pages, scripts, and plain text.
//!
//! Manifests are told apart because they are an attack on whatever would open them, not a mistake.

use crate::bytes::find;
use crate::{Foreign, ForeignClass};
use ForeignClass::{Document, Image, Playlist, Text};

/// Words that give a manifest away wherever they stand in the first kilobytes.
const MARKS: &[(&[u8], ForeignClass, &str)] = &[
    (b"<mpd", Playlist, "DASH manifest"),
    (
        b"<smoothstreamingmedia",
        Playlist,
        "Smooth Streaming manifest",
    ),
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

/// What the text is, or `None` for bytes that are no text.
pub(super) fn classify(start: &[u8]) -> Option<Foreign> {
    if start.is_empty() || start.iter().any(|byte| is_binary(*byte)) {
        return None;
    }
    let lower = start.to_ascii_lowercase();
    let found = MARKS
        .iter()
        .find(|(mark, _, _)| find(&lower, mark).is_some());
    Some(match (found, lower.trim_ascii_start()) {
        (Some((_, class, name)), _) => Foreign::new(*class, name),
        (None, [b'{' | b'[', ..]) => Foreign::new(Document, "JSON"),
        _ => Foreign::new(Text, "plain text"),
    })
}

/// Control characters that no text file has.
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=8 | 14..=26 | 28..=31)
}
