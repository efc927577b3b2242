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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_no_control_characters_but_white_space_and_escape() {
        for byte in 0..=u8::MAX {
            let is_text = byte >= 32 || matches!(byte, 9..=13 | 27);
            assert_eq!(classify(&[b'a', byte]).is_some(), is_text, "{byte}");
        }
        assert!(classify(&[]).is_none());
    }

    #[test]
    fn text_is_named_by_its_mark_or_its_first_character() {
        for (mark, _, name) in MARKS {
            let text = [b"  ", *mark, b" ..."].concat().to_ascii_uppercase();
            assert_eq!(classify(&text).map(|file| file.name), Some(*name));
        }
        for (text, name) in [(" {}", "JSON"), ("\n[1]", "JSON"), ("a{}", "plain text")] {
            assert_eq!(classify(text.as_bytes()).map(|file| file.name), Some(name));
        }
    }
}
