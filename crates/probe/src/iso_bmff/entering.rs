//! Decides what to do with the next box: enter it, read it, read its table, search it, or skip it.
//!
//! This module must not depend on how times follow from the values of the boxes.

use super::boxes::{self, BoxEnd, BoxHeader};
use super::grammar::{self, BoxRole};
use super::search::Searched;
use super::{IsoBmff, OpenBox, table};
use crate::FileRefusal;
use crate::bytes::{FourCc, head, narrow, tail, wide};
use crate::driver::WalkStep;

/// Players give up on deeper nesting. Real files are nested nine deep.
const MAX_DEPTH: usize = 16;
/// The handler of a `meta` box is within its first bytes.
const METADATA_START: u64 = 1024;

impl IsoBmff {
    pub(super) fn step_box(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
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
        let start = at.saturating_add(header.length);
        let role = grammar::box_role(parent.map(|open| open.kind), header.kind);
        if parent.is_none() {
            self.in_unknown_box = self.movie.complete && !grammar::is_file_level(header.kind);
            self.pass_top_level(header.kind, end)?;
        }
        match role {
            BoxRole::Leaf(_) | BoxRole::Table if is_cut => {
                Err(self.ambiguous("a box ends after the one that holds it"))
            }
            BoxRole::Leaf(_) | BoxRole::Table if end.length_from(start) < grammar::least_length(header.kind) => {
                Err(self.ambiguous("a box is too short for its content"))
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

    /// Notes where the header of the file ends. Refuses media and indexes behind the index of fragments: some players
    /// look for it only at the end, others use the last one.
    fn pass_top_level(&mut self, kind: FourCc, end: BoxEnd) -> Result<(), FileRefusal> {
        if self.is_past_index && matches!(&kind, b"moov" | b"moof" | b"mdat" | b"sidx" | b"mfra") {
            return Err(self.ambiguous("its index of fragments is not at its end"));
        }
        self.is_past_index |= &kind == b"mfra";
        if &kind == b"ftyp" && self.movie.file_type_end == 0 {
            self.movie.file_type_end = end.position();
        }
        Ok(())
    }

    fn search(&mut self, header: BoxHeader, end: BoxEnd, at: u64) -> WalkStep {
        if end.length_from(at.saturating_add(header.length)) < boxes::SHORTEST_HEADER {
            return end.skip_from(at);
        }
        self.searched = Some(Searched { until: end.position(), by_name: false });
        WalkStep::Skip(header.length)
    }

    /// Marks a box as seen in its parent. Refuses a duplicate of a box that may come only once, because players differ
    /// in which one they use.
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
        match &header.kind {
            b"moof" => self.movie.begin_fragment(at, end.position()),
            b"moov" => self.movie.place = (at, end.position()),
            _ => {}
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
    pub(super) fn read_leaf(
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
            // The search includes the part that was read.
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

    /// Whether a box belongs to the track around it. Handlers and data references also occur in the track's data and
    /// metadata.
    fn is_of_track(&self, kind: FourCc) -> bool {
        let mut parents = self.open.iter().rev().map(|open| &open.kind);
        match &kind {
            b"hdlr" => parents.next() == Some(b"mdia"),
            b"dref" => parents.nth(1) == Some(b"minf"),
            _ => true,
        }
    }

    /// Searches bytes that are skipped for boxes that do not belong there.
    pub(super) fn step_search(&mut self, searched: Searched, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
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
}
