//! ISO base media files: MP4, M4V, `QuickTime`, 3GP, progressive and fragmented.
//!
//! The walk goes from box to box, opens only the few that lead to times and tracks, reads their tables
//! entry by entry without keeping them, and skips everything else by length. So its memory does not
//! grow with the movie header, wherever in the file that stands. Which box means what is told in
//! `grammar`; what the boxes say is collected in `movie`; what follows from it is decided in `duration`.

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

pub(crate) use flavour::{Flavour, flavour, is_opening_box};

use crate::bytes::{tail, wide};
use crate::driver::{End, Step, Walk};
use crate::{Container, Media, Refusal};
use boxes::{BoxHeader, Extent, Kind};
use grammar::Role;
use movie::Movie;
use table::Table;

/// A box whose children are being walked.
#[derive(Debug, Clone, Copy)]
struct Open {
    kind: Kind,
    extent: Extent,
}

#[derive(Debug)]
pub(crate) struct IsoBmff {
    container: Container,
    /// From the outside in; the grammar bounds its depth.
    open: Vec<Open>,
    table: Option<Table>,
    movie: Movie,
}

impl IsoBmff {
    pub(crate) fn new(container: Container) -> Self {
        Self {
            container,
            open: Vec::new(),
            table: None,
            movie: Movie::default(),
        }
    }

    fn malformed(&self, what: &'static str) -> Refusal {
        Refusal::Malformed {
            container: self.container,
            what,
        }
    }

    /// Leaves every box that ends here. A box may not outlive its parent, so the innermost ends first.
    fn close_ended(&mut self, at: u64) -> Result<(), Refusal> {
        while let Some(last) = self.open.last()
            && last.extent.ends_by(at)
        {
            let kind = last.kind;
            self.open.pop();
            self.close(kind)?;
        }
        Ok(())
    }

    fn close(&mut self, kind: Kind) -> Result<(), Refusal> {
        match &kind {
            b"traf" => self.movie.close_fragment(),
            b"moov" => {
                self.movie.complete = true;
                return duration::settle(&mut self.movie, self.container);
            }
            _ => {}
        }
        Ok(())
    }

    fn step_table(&mut self, mut table: Table, at: u64, window: &[u8]) -> Step {
        let entries = table.whole_entries(window);
        if entries.is_empty() && table.entries_left() {
            self.table = Some(table);
            return Step::Need(table.entry_length);
        }
        if entries.is_empty() {
            return table.rest_from(at);
        }
        self.movie
            .absorb_entries(table.kind, table.entry_length, entries);
        table.consume(entries.len());
        self.table = Some(table);
        Step::Skip(wide(entries.len()))
    }

    fn step_box(&mut self, at: u64, window: &[u8]) -> Result<Step, Refusal> {
        let parent = self.open.last().copied();
        if let Some(Extent::Until(end)) = parent.map(|open| open.extent)
            && end.saturating_sub(at) < boxes::SHORTEST
        {
            // QuickTime closes some lists of boxes with four zero bytes.
            return Ok(Step::Skip(end.saturating_sub(at)));
        }
        let header = match boxes::header(window) {
            Ok(Some(header)) => header,
            Ok(None) => return Ok(Step::Need(boxes::header_length(window))),
            Err(boxes::Unreadable) => return self.give_up_on(parent, at),
        };
        self.enter(parent, header, at, window)
    }

    fn enter(
        &mut self,
        parent: Option<Open>,
        header: BoxHeader,
        at: u64,
        window: &[u8],
    ) -> Result<Step, Refusal> {
        if parent.is_none() && self.is_junk(header.kind) {
            return Ok(Step::Done);
        }
        let extent = header.extent(at).within(parent.map(|open| open.extent));
        match grammar::role(parent.map(|open| open.kind), header.kind) {
            Role::Open => self.open(header, extent, at),
            Role::Leaf(prefix) => Ok(self.read_leaf(header, extent, prefix, at, window)),
            Role::Table => Ok(self.open_table(header, extent, at, window)),
            Role::Media => {
                self.movie
                    .media_begins(self.open.is_empty(), extent, header.length);
                Ok(extent.skip_from(at))
            }
            Role::Ignore => Ok(extent.skip_from(at)),
        }
    }

    fn open(&mut self, header: BoxHeader, extent: Extent, at: u64) -> Result<Step, Refusal> {
        if &header.kind == b"moov" && self.movie.complete {
            // Players take the first movie header; a second one must not change what they play.
            return Ok(extent.skip_from(at));
        }
        if &header.kind == b"cmov" {
            return Err(Refusal::Unsupported {
                container: self.container,
                what: "a compressed movie header",
            });
        }
        self.movie.open(header.kind)?;
        self.open.push(Open {
            kind: header.kind,
            extent,
        });
        Ok(Step::Skip(header.length))
    }

    /// Hands over the first `prefix` bytes of a box, all of it that matters.
    fn read_leaf(
        &mut self,
        header: BoxHeader,
        extent: Extent,
        prefix: u64,
        at: u64,
        window: &[u8],
    ) -> Step {
        let body = extent
            .length_from(at.saturating_add(header.length))
            .min(prefix);
        let Some(total) = header
            .in_memory(body)
            .filter(|total| *total <= window.len())
        else {
            return Step::Need(header.in_memory(body).unwrap_or(usize::MAX));
        };
        let payload = tail(
            window.get(..total).unwrap_or_default(),
            header.in_memory(0).unwrap_or(0),
        );
        self.movie.absorb_leaf(header.kind, payload);
        extent.skip_from(at)
    }

    fn open_table(&mut self, header: BoxHeader, extent: Extent, at: u64, window: &[u8]) -> Step {
        let body = extent.length_from(at.saturating_add(header.length));
        let fixed = body.min(table::PREAMBLE);
        let Some(total) = header
            .in_memory(fixed)
            .filter(|total| *total <= window.len())
        else {
            return Step::Need(header.in_memory(fixed).unwrap_or(usize::MAX));
        };
        let payload = tail(
            window.get(..total).unwrap_or_default(),
            header.in_memory(0).unwrap_or(0),
        );
        let Some(opened) = self.movie.open_table(header.kind, payload, extent.end()) else {
            return extent.skip_from(at);
        };
        let start = header.length.saturating_add(opened.preamble);
        self.table = Some(opened.bounded(at.saturating_add(start), extent));
        Step::Skip(start)
    }

    /// A box without a believable header: the rest of its parent cannot be read.
    fn give_up_on(&self, parent: Option<Open>, at: u64) -> Result<Step, Refusal> {
        match parent {
            Some(open) => Ok(open.extent.skip_from(at)),
            None if self.movie.complete => Ok(Step::Done),
            None => Err(self.malformed("a box of impossible size")),
        }
    }

    /// Behind a complete movie some writers leave bytes that are no boxes at all.
    fn is_junk(&self, kind: Kind) -> bool {
        let readable = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ' || *byte == 0xA9;
        self.movie.complete && !kind.iter().all(readable)
    }

    /// Whether a box declares an end that the file does not have.
    fn is_cut(&self, end: &End<'_>) -> bool {
        let open_past_end =
            |open: &Open| !open.extent.ends_by(end.length) && open.extent.is_bounded();
        let started_header = self.open.is_empty() && wide(end.tail.len()) >= boxes::SHORTEST;
        end.missing > 0 || started_header || self.open.iter().any(open_past_end)
    }
}

impl Walk for IsoBmff {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<Step, Refusal> {
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
        let told = duration::declared(&self.movie)?;
        Some(duration::media(&self.movie, self.container, told))
    }

    fn proven(&self) -> u64 {
        if self.movie.complete {
            duration::proven(&self.movie)
        } else {
            0
        }
    }

    fn finish(&mut self, end: End<'_>) -> Result<Media, Refusal> {
        let cut = self.is_cut(&end);
        while let Some(open) = self.open.pop() {
            if !cut || open.extent.ends_by(end.length) {
                self.close(open.kind)?;
            }
        }
        if !self.movie.complete && !cut {
            return Err(self.malformed(if self.movie.is_fragmented() {
                "a media segment without the header that it belongs to"
            } else {
                "no movie header"
            }));
        }
        if cut {
            return Err(Refusal::Truncated {
                container: self.container,
                what: "a box ends beyond the end of the file",
            });
        }
        duration::verdict(&self.movie, self.container, end.length)
    }
}
