//! ISO base media files: MP4, M4V, `QuickTime` and 3GP, progressive or fragmented.
//!
//! The walk goes from box to box. It enters only the boxes that lead to times and tracks, reads their tables entry by
//! entry without storing them, and skips all other boxes by their length. So it needs the same memory for a movie
//! header of any size, at the beginning or at the end of the file. `grammar` says which boxes are read, `movie`
//! collects their values, and `duration` derives the verdict. This module must not depend on other containers.

mod boxes;
mod composition;
mod contradiction;
mod duration;
mod edit_list;
mod flavour;
mod fragments;
mod grammar;
mod handler;
mod movie;
mod sample_entry;
mod sample_table;
mod search;
mod table;
mod track;

pub(crate) use flavour::{Flavour, flavour_of, is_opening_box};

use crate::bytes::{FourCc, array, head, narrow, positions, tail, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::structures::StructureCount;
use crate::{Container, FileRefusal, Media};
use boxes::{BoxEnd, BoxHeader};
use grammar::BoxRole;
use movie::Movie;
use search::Searched;
use table::Table;

/// Players give up on deeper nesting. Real files are nested nine deep.
const MAX_DEPTH: usize = 16;
/// The handler of a `meta` box is within its first bytes.
const METADATA_START: u64 = 1024;

/// A box whose children are being walked.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct OpenBox {
    kind: FourCc,
    end: BoxEnd,
    /// A bit for each kind of box that came in it and may come only once.
    seen: u32,
}

#[derive(Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct IsoBmff {
    container: Container,
    /// The open boxes, outermost first. The grammar limits the depth.
    open: Vec<OpenBox>,
    table: Option<Table>,
    movie: Movie,
    structures: StructureCount,
    /// Whether the last box at the top level is of an unknown kind. Players skip it, even past the end of the file.
    in_unknown_box: bool,
    /// Whether the rest of the file is not made of boxes.
    in_tail: bool,
    /// The skipped bytes that are being searched for boxes.
    searched: Option<Searched>,
}

impl IsoBmff {
    pub(crate) fn new(container: Container) -> Self {
        Self {
            container,
            open: Vec::new(),
            table: None,
            movie: Movie::default(),
            structures: StructureCount::default(),
            in_unknown_box: false,
            in_tail: false,
            searched: None,
        }
    }

    fn malformed(&self, what: &'static str) -> FileRefusal {
        FileRefusal::Malformed { container: self.container, what }
    }

    fn ambiguous(&self, what: &'static str) -> FileRefusal {
        FileRefusal::Ambiguous { container: self.container, what }
    }

    fn misplaced(&self) -> FileRefusal {
        self.ambiguous("a box is in a place where only some players read it")
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
            b"trak" => self.movie.close_track(),
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
        self.structures.add()?;
        self.enter(parent, header, at, window)
    }

    fn enter(
        &mut self,
        parent: Option<OpenBox>,
        header: BoxHeader,
        at: u64,
        window: &[u8],
    ) -> Result<WalkStep, FileRefusal> {
        let declared = header.end(at);
        let end = declared.within(parent.map(|open| open.end));
        let is_cut = declared.is_bounded() && declared != end;
        let role = grammar::box_role(parent.map(|open| open.kind), header.kind);
        if parent.is_none() {
            self.in_unknown_box = self.movie.complete && !grammar::is_file_level(header.kind);
        }
        match role {
            BoxRole::Leaf(_) | BoxRole::Table if is_cut => {
                Err(self.ambiguous("a box ends after the one that holds it"))
            }
            BoxRole::Open => self.open(header, end, at),
            BoxRole::Leaf(prefix) => self.read_leaf(header, end, prefix, at, window),
            BoxRole::Table => self.open_table(header, end, at, window),
            BoxRole::Media => {
                self.movie.media_begins(self.open.is_empty(), end, header.length);
                Ok(end.skip_from(at))
            }
            BoxRole::Metadata => self.open_metadata(header, end, at, window),
            BoxRole::Search => Ok(self.search(header, end, at)),
            BoxRole::Ignore => Ok(end.skip_from(at)),
            BoxRole::Foreign => Err(self.misplaced()),
        }
    }

    fn search(&mut self, header: BoxHeader, end: BoxEnd, at: u64) -> WalkStep {
        if end.length_from(at.saturating_add(header.length)) < boxes::SHORTEST_HEADER {
            return end.skip_from(at);
        }
        self.searched = Some(Searched { until: end.position(), by_name: false });
        WalkStep::Skip(header.length)
    }

    /// Marks a box as seen in its parent. Refuses a second one of a kind that may come once, because players differ in
    /// which of them they use.
    fn mark_seen(&mut self, kind: FourCc) -> Result<(), FileRefusal> {
        let bit = grammar::single(kind);
        let Some(parent) = self.open.last_mut() else { return Ok(()) };
        let is_second = parent.seen & bit != 0;
        parent.seen |= bit;
        if is_second { Err(self.ambiguous("a box that may come once comes twice")) } else { Ok(()) }
    }

    fn open(&mut self, header: BoxHeader, end: BoxEnd, at: u64) -> Result<WalkStep, FileRefusal> {
        if &header.kind == b"moov" && self.movie.complete {
            return Err(self.ambiguous("it has two movie headers"));
        }
        if &header.kind == b"cmov" {
            return Err(FileRefusal::Unsupported { container: self.container, what: "its movie header is compressed" });
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(FileRefusal::MetadataTooLarge { what: "boxes are nested more than 16 deep" });
        }
        self.mark_seen(header.kind)?;
        self.movie.open(header.kind)?;
        if &header.kind == b"moof" {
            self.movie.begin_fragment(at, end.position());
        }
        self.open.push(OpenBox { kind: header.kind, end, seen: 0 });
        Ok(WalkStep::Skip(header.length))
    }

    /// Opens a `meta` box at its handler. `QuickTime` puts the handler first, others put a version before it.
    fn open_metadata(
        &mut self,
        header: BoxHeader,
        end: BoxEnd,
        at: u64,
        window: &[u8],
    ) -> Result<WalkStep, FileRefusal> {
        let body = end.length_from(at.saturating_add(header.length)).min(METADATA_START);
        let Some(total) = header.in_memory(body).filter(|total| *total <= window.len()) else {
            return Ok(WalkStep::Need(header.in_memory(body).unwrap_or(usize::MAX)));
        };
        let payload = tail(window.get(..total).unwrap_or_default(), header.in_memory(0).unwrap_or(0));
        // Players search for the handler at every fourth byte.
        let handler = payload.chunks_exact(4).skip(1).position(|word| word == b"hdlr");
        let Some(words) = handler else {
            let is_whole = end.length_from(at.saturating_add(header.length)) <= METADATA_START;
            return if is_whole {
                Ok(self.search(header, end, at))
            } else {
                Err(self.ambiguous("its metadata has no handler"))
            };
        };
        self.open(header, end, at)?;
        Ok(WalkStep::Skip(header.length.saturating_add(wide(words.saturating_mul(4)))))
    }

    /// Reads the first `prefix` bytes of a box, which hold everything needed.
    fn read_leaf(
        &mut self,
        header: BoxHeader,
        end: BoxEnd,
        prefix: u64,
        at: u64,
        window: &[u8],
    ) -> Result<WalkStep, FileRefusal> {
        let body = end.length_from(at.saturating_add(header.length));
        let wanted = header.in_memory(body.min(prefix));
        let Some(total) = wanted.filter(|total| *total <= window.len()) else {
            return Ok(WalkStep::Need(wanted.unwrap_or(usize::MAX)));
        };
        let payload = tail(window.get(..total).unwrap_or_default(), header.in_memory(0).unwrap_or(0));
        self.mark_seen(header.kind)?;
        if self.is_of_track(header.kind) {
            self.movie.absorb_leaf(header.kind, payload);
        } else if grammar::changes_track(header.kind, payload) {
            return Err(self.misplaced());
        }
        if &header.kind == b"stsd" {
            // The description is searched from its beginning on.
            let searched = Searched { until: end.position(), by_name: true };
            if searched.find(payload, wide(payload.len())).is_some() {
                return Err(self.misplaced());
            }
            if body > prefix {
                self.searched = Some(searched);
                return Ok(WalkStep::Skip(wide(total.saturating_sub(searched.lookahead()))));
            }
        }
        Ok(end.skip_from(at))
    }

    /// Whether a box is that of the track around it, if boxes of this kind come elsewhere too: media has a handler and
    /// data references, and so do its data and metadata.
    fn is_of_track(&self, kind: FourCc) -> bool {
        let mut parents = self.open.iter().rev().map(|open| &open.kind);
        match &kind {
            b"hdlr" => parents.next() == Some(b"mdia"),
            b"dref" => parents.nth(1) == Some(b"minf"),
            _ => true,
        }
    }

    /// Searches bytes that are skipped for boxes that do not belong there.
    fn step_search(&mut self, searched: Searched, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let left = searched.until.saturating_sub(at);
        let within = head(window, narrow(left));
        match searched.find(within, left) {
            Some(0) => return Err(self.misplaced()),
            Some(before) => return Ok(WalkStep::Skip(wide(before))),
            None => {}
        }
        let passed = searched.passed(within.len(), left);
        if wide(passed) >= left {
            self.searched = None;
        } else if passed == 0 {
            return Ok(WalkStep::Need(searched.lookahead()));
        }
        Ok(WalkStep::Skip(wide(passed)))
    }

    fn open_table(&mut self, header: BoxHeader, end: BoxEnd, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let body = end.length_from(at.saturating_add(header.length));
        let fixed = body.min(table::PREAMBLE);
        let Some(total) = header.in_memory(fixed).filter(|total| *total <= window.len()) else {
            return Ok(WalkStep::Need(header.in_memory(fixed).unwrap_or(usize::MAX)));
        };
        let payload = tail(window.get(..total).unwrap_or_default(), header.in_memory(0).unwrap_or(0));
        self.mark_seen(header.kind)?;
        let Some(layout) = self.movie.open_table(header.kind, payload, end.position()) else {
            return Ok(end.skip_from(at));
        };
        let start = header.length.saturating_add(layout.preamble);
        if !layout.fits(at.saturating_add(start), end) {
            return Err(self.ambiguous("a table's size contradicts its number of entries"));
        }
        self.table = Some(layout.bounded(at.saturating_add(start), end));
        Ok(WalkStep::Skip(start))
    }

    /// Continues after a box with an impossible size by skipping the rest of its parent.
    fn skip_unreadable_box(&mut self, parent: Option<OpenBox>, at: u64) -> Result<WalkStep, FileRefusal> {
        match parent {
            Some(open) => Ok(open.end.skip_from(at)),
            None if self.movie.complete => {
                self.in_tail = true;
                Ok(WalkStep::Skip(1))
            }
            None => Err(self.malformed("a box is smaller than its own header")),
        }
    }

    /// Passes over bytes that are not boxes, as some writers append them. Players stop before such bytes. Those that do
    /// not must find no media behind them.
    fn step_tail(&self, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let is_movie = |at: usize| matches!(window.get(at..at + 4), Some(b"moof" | b"moov"));
        if positions(b'm', window).any(is_movie) {
            return Err(self.ambiguous("media follows bytes that are not a box"));
        }
        Ok(match window.len() {
            0..4 => WalkStep::Need(4),
            length => WalkStep::Skip(wide(length - 3)),
        })
    }

    /// Whether a box declares an end past the end of the file.
    fn is_truncated(&self, end: &FileEnd<'_>) -> bool {
        let is_past_end = |open: &OpenBox| !open.end.ends_by(end.length) && open.end.is_bounded();
        let is_search_cut = self.searched.is_some_and(|searched| (end.length + 1..u64::MAX).contains(&searched.until));
        let started_header = self.open.is_empty()
            && self.searched.is_none()
            && wide(end.tail.len()) >= boxes::SHORTEST_HEADER
            && array(end.tail, 4).is_some_and(grammar::is_file_level);
        let is_cut = (end.missing > 0 || started_header || is_search_cut) && !self.in_unknown_box && !self.in_tail;
        is_cut || self.open.iter().any(is_past_end)
    }
}

impl Walk for IsoBmff {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        if self.in_tail {
            return self.step_tail(window);
        }
        if let Some(searched) = self.searched {
            return self.step_search(searched, at, window);
        }
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
        self.movie.finish_fragments(end.length);
        duration::final_media(&self.movie, self.container, end.length)
    }
}

#[cfg(test)]
mod tests;
