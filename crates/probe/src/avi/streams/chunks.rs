//! Recognizes the chunks of the media by their names, as players do.

use super::AviStreams;
use crate::TrackKind;
use crate::avi::index::stream_index;
use crate::bytes::{FourCc, array, u32_le};

/// After this many repetitions of a stream's chunk name, players expect all of its chunks to have that name.
const SETTLED: u32 = 5;
/// Players take a longer palette for a frame.
const LONGEST_PALETTE: u32 = 4 * 256 + 4;

/// A chunk in the media, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::avi) enum MediaChunk {
    /// A frame of pictures or sound, and the number of its stream.
    Frame(usize),
    /// A list, whose content is searched.
    List,
    /// A RIFF chunk. Players do not know it, so its header is searched as well.
    File,
    /// Colors for the pictures.
    Palette,
    /// A chunk whose size players ignore, because its name implies it.
    Fixed,
    /// The index at the end of the file.
    Index,
    /// Another index, or filling.
    Skipped,
    /// No chunk begins here.
    Unknown,
}

impl AviStreams {
    /// Returns how players treat the chunk that may begin here, at this position. Two digits name the stream. Where a
    /// chunk is expected, any two characters may follow them; elsewhere, only the stream's usual two.
    pub(in crate::avi) fn media_chunk(&self, start: &[u8], position: u64, is_expected: bool) -> MediaChunk {
        let Some(kind): Option<FourCc> = array(start, 0) else { return MediaChunk::Unknown };
        match kind {
            [b'L', b'I', b'S', b'T'] => MediaChunk::List,
            [b'R', b'I', b'F', b'F'] => MediaChunk::File,
            [b'i', b'd', b'x', b'1'] => MediaChunk::Index,
            [b'J', b'U', b'N', b'K'] | [b'i', b'n', b'd', b'x'] => MediaChunk::Skipped,
            [b'i', b'x', tens, ones] if self.has(tens, ones) => MediaChunk::Skipped,
            _ if self.begins_one_later(start, position) => MediaChunk::Unknown,
            [tens, ones, suffix @ ..] if self.has(tens, ones) => match suffix {
                [b'i', b'x'] => MediaChunk::Skipped,
                [b'w', b'c'] => MediaChunk::Fixed,
                [b'p', b'c'] if u32_le(start, 4).is_some_and(|size| size <= LONGEST_PALETTE) => MediaChunk::Palette,
                _ => {
                    let stream = self.stream_of(stream_index(tens, ones), suffix);
                    let is_frame = suffix.is_ascii() && (is_expected || self.is_usual(stream, suffix));
                    if is_frame { MediaChunk::Frame(stream) } else { MediaChunk::Unknown }
                }
            },
            _ => MediaChunk::Unknown,
        }
    }

    /// Whether players skip a byte of padding: at an odd distance from the latest frame, they prefer a name that begins
    /// one byte later.
    fn begins_one_later(&self, start: &[u8], position: u64) -> bool {
        let is_odd = (position ^ self.latest_data) & 1 == 1;
        is_odd && array(start, 1).is_some_and(|[tens, ones]| self.has(tens, ones))
    }

    /// Returns the stream to which a chunk belongs. If the first stream has pictures, players add a chunk that is named
    /// as sound of it to the second stream.
    fn stream_of(&self, named: usize, suffix: [u8; 2]) -> usize {
        match (named, self.list.as_slice()) {
            (0, [pictures, sound, ..])
                if suffix == *b"wb"
                    && pictures.track.kind == TrackKind::Video
                    && sound.track.kind == TrackKind::Audio
                    && pictures.suffix == *b"dc"
                    && (sound.suffix == suffix || sound.alike == 0) =>
            {
                1
            }
            _ => named,
        }
    }

    fn is_usual(&self, stream: usize, suffix: [u8; 2]) -> bool {
        self.list.get(stream).is_some_and(|stream| stream.alike < SETTLED || stream.suffix == suffix)
    }

    /// Whether two characters are the digits of a stream.
    fn has(&self, tens: u8, ones: u8) -> bool {
        tens.is_ascii_digit() && ones.is_ascii_digit() && stream_index(tens, ones) < self.list.len()
    }
}

/// Whether the name of a chunk of the media may begin with these two bytes.
pub(in crate::avi) fn may_begin_chunk(pair: &[u8]) -> bool {
    match pair {
        [b'0'..=b'9', ones] => ones.is_ascii_digit(),
        [b'L' | b'R', second] => *second == b'I',
        [b'J', second] => *second == b'U',
        [b'i', second] => matches!(second, b'd' | b'n' | b'x'),
        _ => false,
    }
}
