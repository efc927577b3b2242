//! The facts about the subtitle tracks of a source.

use super::description::StreamEntry;
use super::language::Language;

/// The longest name that a report may contain.
const MAX_FORMAT_CHARACTERS: usize = 40;

/// One subtitle track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubtitleStream {
    pub stream: usize,
    /// The codec, as ffmpeg names it.
    pub format: String,
    pub kind: SubtitleKind,
    pub language: Option<Language>,
    pub is_default: bool,
    pub is_forced: bool,
    pub is_for_hearing_impaired: bool,
}

/// The kind of data in a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubtitleKind {
    Text,
    Pictures,
    /// Neither ffmpeg nor this program can read it.
    Unknown,
}

impl SubtitleStream {
    /// Returns `None` for a stream that is not a subtitle track.
    pub(super) fn new(stream: &StreamEntry) -> Option<Self> {
        (stream.codec_type == "subtitle").then(|| Self {
            stream: stream.index,
            format: format(&stream.codec_name),
            kind: kind(&stream.codec_name),
            language: Language::parse(&stream.tags.language),
            is_default: stream.disposition.default == 1,
            is_forced: stream.disposition.forced == 1,
            is_for_hearing_impaired: stream.disposition.hearing_impaired == 1,
        })
    }
}

/// Returns a codec's name as a status can show it.
fn format(codec: &str) -> String {
    let plain = codec.chars().filter(|character| character.is_ascii_alphanumeric() || *character == '_');
    let name: String = plain.take(MAX_FORMAT_CHARACTERS).collect();
    if name.is_empty() { "unknown".to_owned() } else { name }
}

fn kind(codec: &str) -> SubtitleKind {
    match codec {
        "subrip" | "srt" | "ass" | "ssa" | "mov_text" | "webvtt" | "text" | "eia_608" => SubtitleKind::Text,
        "hdmv_pgs_subtitle" | "dvd_subtitle" | "dvb_subtitle" | "dvb_teletext" | "xsub" => SubtitleKind::Pictures,
        _ => SubtitleKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_subtitle_streams_are_subtitle_tracks() {
        let entry = |codec_type: &str, codec_name: &str| {
            let (codec_type, codec_name) = (codec_type.to_owned(), codec_name.to_owned());
            SubtitleStream::new(&StreamEntry { codec_type, codec_name, ..StreamEntry::default() })
        };
        assert_eq!(entry("video", "h264"), None);
        assert_eq!(entry("subtitle", "subrip").unwrap().kind, SubtitleKind::Text);
        assert_eq!(entry("subtitle", "dvd_subtitle").unwrap().kind, SubtitleKind::Pictures);
        let unknown = entry("subtitle", "").unwrap();
        assert_eq!((unknown.kind, unknown.format.as_str()), (SubtitleKind::Unknown, "unknown"));
    }
}
