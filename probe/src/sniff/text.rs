//! Sorts text: playlists and manifests that name other files, pages, scripts, and plain text.
//!
//! Manifests are told apart because they are an attack on whatever would open them, not a mistake.

use crate::{Foreign, ForeignClass};
use ForeignClass::{Document, Image, Playlist, Text};

/// Words that give a manifest away wherever they stand in the first kilobytes.
const MARKS: &[(&str, ForeignClass, &str)] = &[
    ("<mpd", Playlist, "DASH manifest"),
    (
        "<smoothstreamingmedia",
        Playlist,
        "Smooth Streaming manifest",
    ),
    ("<smil", Playlist, "SMIL playlist"),
    ("<asx", Playlist, "ASX playlist"),
    ("<playlist", Playlist, "XSPF playlist"),
    ("#extm3u", Playlist, "HLS or M3U playlist"),
    ("rtsptext", Playlist, "RTSP reference"),
    ("<svg", Image, "SVG"),
    ("<!doctype html", Document, "HTML"),
    ("<html", Document, "HTML"),
    ("<?xml", Document, "XML"),
    ("webvtt", Text, "WebVTT subtitles"),
];

/// What the text is, or `None` for bytes that are no text.
pub(super) fn classify(start: &[u8]) -> Option<Foreign> {
    if start.is_empty() || start.iter().any(|byte| is_binary(*byte)) {
        return None;
    }
    let lower = String::from_utf8_lossy(start).to_lowercase();
    let found = MARKS.iter().find(|(mark, _, _)| lower.contains(mark));
    Some(match (found, lower.trim_start().as_bytes()) {
        (Some((_, class, name)), _) => Foreign::new(*class, name),
        (None, [b'{' | b'[', ..]) => Foreign::new(Document, "JSON"),
        _ => Foreign::new(Text, "plain text"),
    })
}

/// Control characters that no text file has.
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=8 | 14..=26 | 28..=31)
}
