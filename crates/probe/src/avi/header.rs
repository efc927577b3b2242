//! The headers of an AVI file: the lists and chunks before the media.
//!
//! If a chunk ended elsewhere than for players, other streams might be hidden behind it. So chunks that players do not
//! pad to an even length are not padded here either.

use super::index::{FIXED, NamedIndexes};
use super::{Avi, HEADER, LIST_HEADER, ambiguous, skip_chunk};
use crate::FileRefusal;
use crate::bytes::{FourCc, array, tail, u16_le, u32_le, wide};
use crate::driver::WalkStep;

/// This many bytes of a header or a format are enough. The palettes that may follow are not needed.
const LEAF: u32 = 128;
/// The longest chunk before the media. In a longer one, players search for media.
const LONGEST_HEADER: u32 = 1_000_000;
const MAIN_HEADER: u32 = 40;
/// Players read this much of a stream's header, however short it is.
const STREAM_HEADER: u32 = 48;
/// The kind and the size of a camera's tag.
const TAG_HEADER: usize = 4;

impl Avi {
    pub(super) fn step_header(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some((kind, size)): Option<(FourCc, u32)> = array(window, 0).zip(u32_le(window, 4)) else {
            return Ok(WalkStep::Need(HEADER));
        };
        if at.saturating_add(wide(HEADER)) <= self.texts_end {
            return self.skip_text(size, at);
        }
        match &kind {
            b"RIFF" if at > 0 => Err(ambiguous("it is several files in one")),
            b"RIFF"
                if window.len() >= LIST_HEADER
                    && !matches!(tail(window, HEADER), [b'A', b'V', b'I', b' ' | 0x19, ..]) =>
            {
                Err(ambiguous("it is a file of another kind for some players"))
            }
            b"RIFF" | b"LIST" => self.step_list(size, at, window),
            b"amvh" => Err(ambiguous("it has a header of another format")),
            b"avih" | b"strh" | b"strf" => self.read_leaf(kind, size, at, window),
            b"strd" => self.skip_extra(size, at),
            b"indx" => Ok(self.read_named_indexes(size, window)),
            b"vprp" => Ok(skip_unpadded(size)),
            _ if size > LONGEST_HEADER => {
                Err(ambiguous("a chunk before the media is so long that some players expect media in it"))
            }
            _ => Ok(skip_chunk(size)),
        }
    }

    pub(super) fn step_list(&mut self, size: u32, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some(list): Option<FourCc> = array(window, HEADER) else {
            return Ok(WalkStep::Need(LIST_HEADER));
        };
        let is_known = size != 0 && size != u32::MAX;
        let end = at.saturating_add(wide(HEADER)).saturating_add(u64::from(size));
        let known_end = if is_known { end } else { 0 };
        if window.starts_with(b"LIST") {
            self.list_end = end;
        }
        if matches!(&list, b"AVI " | b"movi") {
            self.declared_end = self.declared_end.max(known_end);
        }
        if &list == b"AVI " {
            self.check_single_header()?;
        }
        match &list {
            b"INFO" if size < 4 => return Err(ambiguous("a list is shorter than its name")),
            b"INFO" => self.texts_end = end,
            b"ncdt" if size >= 4 => return skip_tags(size, window),
            b"ncdt" => return Err(ambiguous("a list is shorter than its name")),
            b"strl" if is_known => self.header_until = at.saturating_add(u64::from(size)),
            b"strl" => self.header_until = u64::MAX,
            b"movi" => {
                self.in_media = true;
                self.index_search.begin((size != 0).then(|| end.saturating_add(u64::from(size & 1))));
                self.expected_at = at.saturating_add(wide(LIST_HEADER));
                self.declared_before_media = self.streams.declared().is_some();
                self.streams.require_video()?;
                self.streams.require_plain_streams()?;
            }
            _ => {}
        }
        Ok(WalkStep::Skip(wide(LIST_HEADER)))
    }

    /// Skips one of the texts about the file.
    fn skip_text(&self, size: u32, at: u64) -> Result<WalkStep, FileRefusal> {
        if at.saturating_add(wide(HEADER)).saturating_add(u64::from(size)) > self.texts_end {
            return Err(ambiguous("a text about it ends after the list that holds it"));
        }
        Ok(skip_chunk(size))
    }

    /// Skips the data that a camera or an encoder added to a stream's format. Players skip the byte of padding after it
    /// only if they store the data.
    fn skip_extra(&mut self, size: u32, at: u64) -> Result<WalkStep, FileRefusal> {
        let is_stored = self.streams.store_extra();
        if size % 2 == 1 && !is_stored || self.is_cut_by_list(size, at) {
            return Err(ambiguous("a chunk before the media ends elsewhere for some players"));
        }
        Ok(skip_chunk(size))
    }

    /// Whether a chunk ends after the list in which it begins. Players end it there.
    fn is_cut_by_list(&self, size: u32, at: u64) -> bool {
        let start = at.saturating_add(wide(HEADER));
        start < self.list_end && start.saturating_add(u64::from(size)) > self.list_end
    }

    fn read_leaf(&mut self, kind: FourCc, size: u32, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let read = match &kind {
            b"avih" if size < MAIN_HEADER => return Err(ambiguous("its main header is too short")),
            b"strh" => size.clamp(STREAM_HEADER, LEAF),
            _ => size.min(LEAF),
        };
        let wanted = HEADER.saturating_add(usize::try_from(read).unwrap_or(0));
        let Some(body) = window.get(HEADER..wanted) else {
            return Ok(WalkStep::Need(wanted));
        };
        match &kind {
            b"avih" => self.streams.read_main_header(body)?,
            b"strh" => {
                self.check_stream_header(at)?;
                self.streams.read_header(body)?;
            }
            _ => {
                if self.is_cut_by_list(size, at) {
                    return Err(ambiguous("a stream's format ends after the list that holds it"));
                }
                let is_padded = self.streams.read_format(body, size)?;
                return Ok(if is_padded { skip_chunk(size) } else { skip_unpadded(size) });
            }
        }
        Ok(skip_unpadded(size))
    }

    /// Refuses a second stream header in a list, or one outside of a list: some players count it as another stream.
    fn check_stream_header(&mut self, at: u64) -> Result<(), FileRefusal> {
        if at >= std::mem::take(&mut self.header_until) {
            return Err(ambiguous("a stream has two headers, or a header is in no stream's list"));
        }
        Ok(())
    }

    fn read_named_indexes(&mut self, size: u32, window: &[u8]) -> WalkStep {
        let body = tail(window, HEADER);
        let present = usize::try_from(size).unwrap_or(usize::MAX);
        let wanted = if body.len() < FIXED { FIXED } else { NamedIndexes::length(body) }.min(present);
        match body.get(..wanted) {
            Some(list) => {
                self.named_indexes.read(list, size);
                skip_unpadded(size)
            }
            None => WalkStep::Need(HEADER + wanted),
        }
    }
}

fn skip_unpadded(size: u32) -> WalkStep {
    WalkStep::Skip(wide(HEADER).saturating_add(u64::from(size)))
}

/// Skips the list of a camera's tags, if its parts fill it.
fn skip_tags(size: u32, window: &[u8]) -> Result<WalkStep, FileRefusal> {
    let length = HEADER.saturating_add(usize::try_from(size).unwrap_or(usize::MAX)).max(LIST_HEADER);
    let Some(list) = window.get(LIST_HEADER..length) else {
        return Ok(WalkStep::Need(length));
    };
    let are_whole = parts(list, HEADER, |part| u32_le(part, 4)).is_some_and(|chunks| {
        let mut tags = chunks.iter().filter(|chunk| chunk.starts_with(b"nctg")).map(|chunk| tail(chunk, HEADER));
        tags.all(|tags| parts(tags, TAG_HEADER, |tag| u16_le(tag, 2).map(u32::from)).is_some())
    });
    if !are_whole {
        return Err(ambiguous("its camera's tags end elsewhere than the list that holds them"));
    }
    Ok(skip_unpadded(size))
}

/// Returns the parts that fill these bytes, each with a header that says how long the rest of the part is.
fn parts(mut bytes: &[u8], header: usize, size: impl Fn(&[u8]) -> Option<u32>) -> Option<Vec<&[u8]>> {
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let length = header.checked_add(usize::try_from(size(bytes)?).ok()?)?;
        parts.push(bytes.get(..length)?);
        bytes = tail(bytes, length);
    }
    Some(parts)
}
