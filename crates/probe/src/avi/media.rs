//! The media of an AVI file: everything that is named like a frame is counted, wherever it lies.
//!
//! Players search for the names of chunks, byte by byte where they expect none. This module must find the same chunks,
//! and continue behind each of them where players do.

use super::index::{self, IndexReader};
use super::streams::{self, MediaChunk};
use super::{Avi, HEADER, LIST_HEADER, ambiguous};
use crate::FileRefusal;
use crate::bytes::{FourCc, array, narrow, tail, u8_at, u32_le, wide};
use crate::driver::WalkStep;

/// The first color of a palette and the number of its colors.
const PALETTE_HEADER: usize = 4;
/// Players skip this many bytes after the header of a chunk of this kind, whatever its size says.
const FIXED_CHUNK: u64 = 56;

impl Avi {
    /// Continues at the next chunk of the media, wherever it is.
    pub(super) fn step_media(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let may_begin = window.windows(2).enumerate().filter(|(_, pair)| streams::may_begin_chunk(pair));
        for (offset, _) in may_begin {
            let Some(start) = window.get(offset..offset + HEADER) else { break };
            let position = at.saturating_add(wide(offset));
            let chunk = self.streams.media_chunk(start, position, position <= self.expected_at.saturating_add(1));
            if chunk == MediaChunk::Unknown {
                continue;
            }
            return if offset > 0 { Ok(WalkStep::Skip(wide(offset))) } else { self.take_chunk(chunk, at, window) };
        }
        // The last bytes may be the beginning of a chunk.
        Ok(match (window.len() + 1).saturating_sub(HEADER) {
            0 => WalkStep::Need(HEADER),
            searched => WalkStep::Skip(wide(searched)),
        })
    }

    fn take_chunk(&mut self, chunk: MediaChunk, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let needed = match chunk {
            MediaChunk::List | MediaChunk::File | MediaChunk::Palette => LIST_HEADER,
            MediaChunk::Skipped if self.named_indexes.is_at(at) => HEADER + index::FIXED,
            _ => 0,
        };
        if window.len() < needed {
            return Ok(WalkStep::Need(needed));
        }
        self.structures.add()?;
        let (kind, size) = (array(window, 0).unwrap_or_default(), u32_le(window, 4).unwrap_or(0));
        let whole = wide(HEADER).saturating_add(u64::from(size));
        // Players don't know a chunk that ends after the file.
        if matches!(chunk, MediaChunk::Palette | MediaChunk::Fixed | MediaChunk::Index | MediaChunk::Skipped) {
            self.declared_end = self.declared_end.max(at.saturating_add(whole));
        }
        let length = match chunk {
            MediaChunk::List | MediaChunk::File => {
                self.note_list(size, at, window)?;
                // Players do not know a RIFF chunk, and search its header.
                if chunk == MediaChunk::File { 1 } else { wide(LIST_HEADER) }
            }
            MediaChunk::Palette => wide(HEADER + palette_length(tail(window, HEADER))),
            MediaChunk::Fixed => wide(HEADER).saturating_add(FIXED_CHUNK),
            MediaChunk::Index => {
                self.streams.begin_old_index();
                self.index = Some(IndexReader::of_old(size));
                whole
            }
            MediaChunk::Skipped if self.named_indexes.take(at) => {
                let reader = IndexReader::of_open(tail(window, HEADER), size);
                let Some(reader) = reader.filter(|reader| self.streams.hold(reader)) else {
                    return Err(ambiguous("an index that some players use is not one of chunks"));
                };
                self.index = Some(reader);
                whole
            }
            MediaChunk::Frame(_) | MediaChunk::Skipped | MediaChunk::Unknown => whole,
        };
        let end = at.saturating_add(length);
        if self.index_search.may_find_within(kind, at, size, end) {
            return Err(ambiguous("a chunk hides the place where players look for the index"));
        }
        if let MediaChunk::Frame(stream) = chunk {
            self.streams.count(stream, kind, at, size);
        }
        if chunk != MediaChunk::File {
            self.expected_at = end;
        }
        Ok(WalkStep::Skip(length.saturating_sub(self.index.map_or(0, |index| index.left))))
    }

    pub(super) fn step_index(&mut self, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some(mut reader) = self.index.take() else { return Ok(WalkStep::Skip(0)) };
        let length = reader.entry_length();
        if reader.entries == 0 {
            return Ok(WalkStep::Skip(reader.left));
        }
        if window.len() < length {
            self.index = Some(reader);
            return Ok(WalkStep::Need(length));
        }
        let mut read = 0;
        for entry in window.chunks_exact(length).take(narrow(reader.entries)) {
            self.structures.add()?;
            self.streams.read_index_entry(&reader, entry);
            read += 1;
        }
        let step = read * wide(length);
        reader.entries -= read;
        reader.left = reader.left.saturating_sub(step);
        self.index = Some(reader);
        Ok(WalkStep::Skip(step))
    }

    /// Notes the end of another file's header or media list. Its content is searched like everything else.
    fn note_list(&mut self, size: u32, at: u64, window: &[u8]) -> Result<(), FileRefusal> {
        let list: FourCc = array(window, HEADER).unwrap_or_default();
        if window.starts_with(b"RIFF") && &list == b"AVI " {
            self.check_single_header()?;
        }
        // Players search the header of a list that ends after the file.
        let end = at.saturating_add(wide(HEADER)).saturating_add(u64::from(size));
        if window.starts_with(b"LIST") && end > self.declared_end && may_hold_name(window) {
            return Err(ambiguous("the header of a list looks like a frame"));
        }
        // Nothing after the declared end of the file is media.
        let is_within = window.starts_with(b"RIFF") || self.declared_end == 0 || at < self.declared_end;
        if matches!(&list, b"AVIX" | b"movi") && size != 0 && size != u32::MAX && is_within {
            self.declared_end = self.declared_end.max(end);
        }
        Ok(())
    }
}

/// Whether the name of a chunk may begin in the header of a list, behind its own name.
fn may_hold_name(list: &[u8]) -> bool {
    let rest = list.get(4..LIST_HEADER).unwrap_or_default();
    let begins_at_end = matches!(rest, [.., b'0'..=b'9' | b'J' | b'L' | b'R']);
    begins_at_end || rest.windows(2).any(streams::may_begin_chunk)
}

/// Returns the length of a palette. Players search what follows it in its chunk.
fn palette_length(palette: &[u8]) -> usize {
    let number = |at| u8_at(palette, at).unwrap_or(0);
    let first = number(0);
    let last = first.wrapping_add(number(1)).wrapping_sub(1);
    PALETTE_HEADER + 4 * usize::from(last.checked_sub(first).map_or(0, |more| u16::from(more) + 1))
}
