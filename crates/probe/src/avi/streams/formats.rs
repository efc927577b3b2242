//! Reads the headers and the formats of streams.

use super::{AviStream, AviStreams, StreamFormat};
use crate::avi::ambiguous;
use crate::bytes::{FourCc, array, i32_le, u16_le, u32_le};
use crate::codec::{from_video_fourcc, from_wave_format};
use crate::sound_bytes::SoundPace;
use crate::{Codec, FileRefusal, MediaTrack, TrackKind};

/// Chunk names identify a stream by two decimal digits.
const MAX_STREAMS: usize = 100;
/// The length of a picture's format. Players read this many bytes even if its chunk is shorter.
const PICTURE_FORMAT: u32 = 40;
impl AviStreams {
    /// Reads the main header. Its clock is for the streams that follow it.
    pub(in crate::avi) fn read_main_header(&mut self, body: &[u8]) -> Result<(), FileRefusal> {
        if !self.list.is_empty() {
            return Err(ambiguous("its main header follows that of a stream"));
        }
        self.micros_per_frame = u32_le(body, 0).unwrap_or(0);
        Ok(())
    }

    /// Reads the header of a stream. Players don't count fill as a stream.
    pub(in crate::avi) fn read_header(&mut self, body: &[u8]) -> Result<(), FileRefusal> {
        let name: FourCc = array(body, 0).unwrap_or_default();
        if &name == b"pads" {
            return Ok(());
        }
        if self.list.len() >= MAX_STREAMS {
            return Err(ambiguous("it has more streams than the names of chunks can tell apart"));
        }
        let number = |at| u32_le(body, at).unwrap_or(0);
        let is_dv = matches!(&name, b"iavs" | b"ivas");
        self.latest_kind = match &name {
            b"vids" => TrackKind::Video,
            b"auds" => TrackKind::Audio,
            b"txts" | b"dats" => TrackKind::Other,
            _ => self.latest_kind,
        };
        let kind = if is_dv { TrackKind::Video } else { self.latest_kind };
        let mut track = MediaTrack { kind, ..MediaTrack::default() };
        if kind == TrackKind::Video {
            track.codec = from_video_fourcc(array(body, 4).unwrap_or_default());
        }
        let has_units = !is_dv && &name != b"vids" && kind != TrackKind::Other;
        // Players ignore a negative size.
        let unit = Some(number(44)).filter(|unit| *unit < 1 << 31).unwrap_or(0);
        self.list.push(AviStream {
            track,
            is_dv,
            scale: number(20),
            rate: number(24),
            start: number(28),
            declared_units: number(32),
            unit: if has_units { unit } else { 0 },
            header_unit: unit,
            ..AviStream::default()
        });
        Ok(())
    }

    /// Reads the format of the latest stream, in a chunk of this size. Some players use the first of several formats,
    /// others the last. Returns whether players pad the chunk to an even length.
    pub(in crate::avi) fn read_format(&mut self, body: &[u8], size: u32) -> Result<bool, FileRefusal> {
        let Some(stream) = self.list.last_mut().filter(|stream| !stream.is_dv && size > 0) else {
            return Ok(false);
        };
        if std::mem::replace(&mut stream.format, StreamFormat::Complete) != StreamFormat::Missing {
            return Err(ambiguous("a stream has two formats"));
        }
        let is_padded = stream.track.kind != TrackKind::Other;
        match stream.track.kind {
            TrackKind::Video => {
                let code = array(body, 16).unwrap_or_default();
                if size < PICTURE_FORMAT || is_subtitle(code) && size > PICTURE_FORMAT {
                    return Err(ambiguous("the format of its pictures has another length than players read"));
                }
                if i32_le(body, 8) == Some(i32::MIN) {
                    return Err(ambiguous("its pictures have no height"));
                }
                if size == PICTURE_FORMAT && !matches!(&code, b"H264" | b"\0\0\0\0") {
                    stream.format = StreamFormat::Extensible;
                }
                read_picture(&mut stream.track, body);
                if is_subtitle(code) {
                    stream.track.kind = TrackKind::Other;
                }
            }
            TrackKind::Audio => {
                if size < 14 || matches!(size, 15 | 17) {
                    return Err(ambiguous("the format of its sound has another length than players read"));
                }
                if u32_le(body, 4) == Some(0) {
                    return Err(ambiguous("its sound has no rate"));
                }
                stream.pace = SoundPace::of_wave(body);
                stream.is_uncompressed = is_uncompressed(body);
                read_sound(&mut stream.track, body);
                stream.set_block(u16_le(body, 12).map_or(0, u32::from));
            }
            TrackKind::Other => {}
        }
        Ok(is_padded)
    }

    /// Whether players store the data that follows the format of the latest stream. They do so once.
    pub(in crate::avi) fn store_extra(&mut self) -> bool {
        self.list.last_mut().is_some_and(|stream| {
            let is_stored = stream.format == StreamFormat::Extensible;
            stream.format = StreamFormat::Complete;
            is_stored
        })
    }
}

impl AviStream {
    /// Sets the length of a block of sound. Some writers of whole frames put the samples of a frame in place of a
    /// sample's size, or a length that says nothing.
    fn set_block(&mut self, block: u32) {
        self.block = block;
        match (self.track.codec, self.unit, block) {
            (Codec::Aac, 1.., 1024 | 4096) | (Codec::Mp3, 1.., 1152) => self.unit = 0,
            (Codec::Aac | Codec::Flac | Codec::Mp2, 0, ..=4) => self.block = 0,
            _ => {}
        }
    }
}

/// Whether a picture's format says that the stream has subtitles.
fn is_subtitle(code: FourCc) -> bool {
    matches!(&code, b"DXSA" | b"DXSB")
}

/// Reads a `BITMAPINFOHEADER`. A negative height means that the picture is stored top down.
fn read_picture(track: &mut MediaTrack, body: &[u8]) {
    let width = i32_le(body, 4).unwrap_or(0).unsigned_abs();
    let height = i32_le(body, 8).unwrap_or(0).unsigned_abs();
    track.set_size(width, height);
    if let Some(code) = array(body, 16) {
        let codec = from_video_fourcc(code);
        if codec != Codec::Unknown {
            track.codec = codec;
        }
    }
}

/// Whether a `WAVEFORMATEX` describes integers, floating-point numbers or G.711. Its long form has the format at the
/// end.
fn is_uncompressed(body: &[u8]) -> bool {
    let format = match u16_le(body, 0) {
        Some(0xFFFE) => u16_le(body, 24),
        format => format,
    };
    matches!(format, Some(1 | 3 | 6 | 7))
}

/// Reads a `WAVEFORMATEX`.
fn read_sound(track: &mut MediaTrack, body: &[u8]) {
    track.codec = from_wave_format(u16_le(body, 0).unwrap_or(0));
    track.channels = u16_le(body, 2).filter(|count| *count > 0);
    track.sample_rate = u32_le(body, 4).filter(|rate| *rate > 0);
}
