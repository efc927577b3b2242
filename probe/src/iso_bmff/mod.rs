//! ISO base media files: MP4, M4V, `QuickTime` and 3GP, progressive or fragmented.
//!
//! The walk goes from box to box, enters only the few that lead to times and tracks, reads their tables entry by entry
//! without storing them, and skips everything else by its length. Its memory does not grow with the movie header,
//! wherever in the file the header is. `grammar` says which boxes are read, `movie` collects their values, and
//! `duration` derives the verdict. This module must not depend on other containers.

mod boxes;
mod duration;
mod edit_list;
mod flavour;
mod fragments;
mod grammar;
mod movie;
mod sample_entry;
mod sample_table;
mod table;
mod track;

pub(crate) use flavour::{Flavour, flavour_of, is_opening_box};

use crate::bytes::{FourCc, tail, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::{Container, FileRefusal, Media};
use boxes::{BoxEnd, BoxHeader};
use grammar::BoxRole;
use movie::Movie;
use table::Table;

/// A box whose children are being walked.
#[derive(Debug, Clone, Copy)]
struct OpenBox {
    kind: FourCc,
    end: BoxEnd,
}

#[derive(Debug)]
pub(crate) struct IsoBmff {
    container: Container,
    /// The open boxes, outermost first. The grammar limits the depth.
    open: Vec<OpenBox>,
    table: Option<Table>,
    movie: Movie,
}

impl IsoBmff {
    pub(crate) fn new(container: Container) -> Self {
        Self { container, open: Vec::new(), table: None, movie: Movie::default() }
    }

    fn malformed(&self, what: &'static str) -> FileRefusal {
        FileRefusal::Malformed { container: self.container, what }
    }

    /// Closes every box that ends at or before `at`, innermost first. A child never ends after its parent.
    fn close_ended(&mut self, at: u64) -> Result<(), FileRefusal> {
        while let Some(last) = self.open.last()
            && last.end.ends_by(at)
        {
            let kind = last.kind;
            self.open.pop();
            self.close(kind)?;
        }
        Ok(())
    }

    fn close(&mut self, kind: FourCc) -> Result<(), FileRefusal> {
        match &kind {
            b"traf" => self.movie.close_fragment(),
            b"moov" => {
                self.movie.complete = true;
                return duration::complete_header(&mut self.movie, self.container);
            }
            _ => {}
        }
        Ok(())
    }

    fn step_table(&mut self, mut table: Table, at: u64, window: &[u8]) -> WalkStep {
        let entries = table.whole_entries(window);
        if entries.is_empty() && table.entries_left() {
            self.table = Some(table);
            return WalkStep::Need(table.entry_length);
        }
        if entries.is_empty() {
            return table.rest_from(at);
        }
        self.movie.absorb_entries(table.kind, table.entry_length, entries);
        table.consume(entries.len());
        self.table = Some(table);
        WalkStep::Skip(wide(entries.len()))
    }

    fn step_box(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let parent = self.open.last().copied();
        if let Some(BoxEnd::At(end)) = parent.map(|open| open.end)
            && end.saturating_sub(at) < boxes::SHORTEST_HEADER
        {
            // QuickTime ends some lists of boxes with four zero bytes.
            return Ok(WalkStep::Skip(end.saturating_sub(at)));
        }
        let header = match boxes::header(window) {
            Ok(Some(header)) => header,
            Ok(None) => return Ok(WalkStep::Need(boxes::header_length(window))),
            Err(boxes::ImpossibleSize) => return self.skip_unreadable_box(parent, at),
        };
        self.enter(parent, header, at, window)
    }

    fn enter(
        &mut self,
        parent: Option<OpenBox>,
        header: BoxHeader,
        at: u64,
        window: &[u8],
    ) -> Result<WalkStep, FileRefusal> {
        if parent.is_none() && self.is_junk(header.kind) {
            return Ok(WalkStep::Done);
        }
        let end = header.end(at).within(parent.map(|open| open.end));
        match grammar::box_role(parent.map(|open| open.kind), header.kind) {
            BoxRole::Open => self.open(header, end, at),
            BoxRole::Leaf(prefix) => Ok(self.read_leaf(header, end, prefix, at, window)),
            BoxRole::Table => Ok(self.open_table(header, end, at, window)),
            BoxRole::Media => {
                self.movie.media_begins(self.open.is_empty(), end, header.length);
                Ok(end.skip_from(at))
            }
            BoxRole::Ignore => Ok(end.skip_from(at)),
        }
    }

    fn open(&mut self, header: BoxHeader, end: BoxEnd, at: u64) -> Result<WalkStep, FileRefusal> {
        if &header.kind == b"moov" && self.movie.complete {
            // Players use the first movie header, so a second one must not change the verdict.
            return Ok(end.skip_from(at));
        }
        if &header.kind == b"cmov" {
            return Err(FileRefusal::Unsupported { container: self.container, what: "its movie header is compressed" });
        }
        self.movie.open(header.kind)?;
        self.open.push(OpenBox { kind: header.kind, end });
        Ok(WalkStep::Skip(header.length))
    }

    /// Reads the first `prefix` bytes of a box, which hold everything needed.
    fn read_leaf(&mut self, header: BoxHeader, end: BoxEnd, prefix: u64, at: u64, window: &[u8]) -> WalkStep {
        let body = end.length_from(at.saturating_add(header.length)).min(prefix);
        let Some(total) = header.in_memory(body).filter(|total| *total <= window.len()) else {
            return WalkStep::Need(header.in_memory(body).unwrap_or(usize::MAX));
        };
        let payload = tail(window.get(..total).unwrap_or_default(), header.in_memory(0).unwrap_or(0));
        self.movie.absorb_leaf(header.kind, payload);
        end.skip_from(at)
    }

    fn open_table(&mut self, header: BoxHeader, end: BoxEnd, at: u64, window: &[u8]) -> WalkStep {
        let body = end.length_from(at.saturating_add(header.length));
        let fixed = body.min(table::PREAMBLE);
        let Some(total) = header.in_memory(fixed).filter(|total| *total <= window.len()) else {
            return WalkStep::Need(header.in_memory(fixed).unwrap_or(usize::MAX));
        };
        let payload = tail(window.get(..total).unwrap_or_default(), header.in_memory(0).unwrap_or(0));
        let Some(layout) = self.movie.open_table(header.kind, payload, end.position()) else {
            return end.skip_from(at);
        };
        let start = header.length.saturating_add(layout.preamble);
        self.table = Some(layout.bounded(at.saturating_add(start), end));
        WalkStep::Skip(start)
    }

    /// Continues after a box with an impossible size by skipping the rest of its parent.
    fn skip_unreadable_box(&self, parent: Option<OpenBox>, at: u64) -> Result<WalkStep, FileRefusal> {
        match parent {
            Some(open) => Ok(open.end.skip_from(at)),
            None if self.movie.complete => Ok(WalkStep::Done),
            None => Err(self.malformed("a box is smaller than its own header")),
        }
    }

    /// Whether the bytes are not a box. Some writers append such bytes after a complete movie.
    fn is_junk(&self, kind: FourCc) -> bool {
        let readable = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ' || *byte == 0xA9;
        self.movie.complete && !kind.iter().all(readable)
    }

    /// Whether a box declares an end past the end of the file.
    fn is_truncated(&self, end: &FileEnd<'_>) -> bool {
        let is_past_end = |open: &OpenBox| !open.end.ends_by(end.length) && open.end.is_bounded();
        let started_header = self.open.is_empty() && wide(end.tail.len()) >= boxes::SHORTEST_HEADER;
        end.missing > 0 || started_header || self.open.iter().any(is_past_end)
    }
}

impl Walk for IsoBmff {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        if let Some(table) = self.table.take() {
            return Ok(self.step_table(table, at, window));
        }
        self.close_ended(at)?;
        self.step_box(at, window)
    }

    fn is_known(&self) -> bool {
        self.movie.complete && duration::declared(&self.movie).is_some()
    }

    fn provisional(&self) -> Option<Media> {
        let declared = duration::declared(&self.movie)?;
        Some(duration::media(&self.movie, self.container, declared))
    }

    fn proven(&self) -> u64 {
        if self.movie.complete { duration::proven(&self.movie) } else { 0 }
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        let is_truncated = self.is_truncated(&end);
        while let Some(open) = self.open.pop() {
            if !is_truncated || open.end.ends_by(end.length) {
                self.close(open.kind)?;
            }
        }
        if !self.movie.complete && !is_truncated {
            return Err(self.malformed(if self.movie.is_fragmented() {
                "it is a media segment without its movie header"
            } else {
                "it has no movie header"
            }));
        }
        if is_truncated {
            return Err(FileRefusal::Truncated {
                container: self.container,
                what: "a box ends beyond the end of the file",
            });
        }
        duration::final_media(&self.movie, self.container, end.length)
    }
}

#[cfg(test)]
mod tests;
