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
mod entering;
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

use crate::bytes::{FourCc, array, positions, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::structures::StructureCount;
use crate::{Container, FileRefusal, Media};
use boxes::BoxEnd;
use movie::Movie;
use search::Searched;
use table::Table;

/// A box whose children are being walked.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct OpenBox {
    kind: FourCc,
    end: BoxEnd,
    /// A bit for each kind of box in it that may come only once.
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
    /// Whether the index of fragments was passed, which is the end of a file.
    is_past_index: bool,
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
            is_past_index: false,
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
    /// Passes over bytes that are not boxes, as some writers append them. Some players stop before them, and others
    /// must find no media after them.
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
