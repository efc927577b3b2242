//! Edit lists: which parts of a track's media are played, and when.
//!
//! ffmpeg and `QuickTime` play by the edit list, and phones trim videos with it, so it decides the duration. An edit
//! cannot play more media than exists, so each edit counts for at most the duration of the track's sample table. This
//! module must not depend on other boxes.

use super::table::{TableKind, TableLayout};
use crate::bytes::{i32_be, u8_at, u32_be, u64_be};
use crate::time::nanos;

/// One entry of `elst`.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Edit {
    /// In movie ticks. Zero means "to the end of the media".
    duration: u64,
    /// In media ticks. Negative for a pause.
    media_time: i64,
}

pub(super) fn open(body: &[u8]) -> Option<TableLayout> {
    let long = u8_at(body, 0)? == 1;
    Some(TableLayout {
        kind: TableKind::Edits { long },
        preamble: 8,
        entry_length: if long { 20 } else { 12 },
        count: u64::from(u32_be(body, 4)?),
    })
}

pub(super) fn read(entry: &[u8], long: bool) -> Edit {
    let read = if long {
        u64_be(entry, 0).zip(u64_be(entry, 8).map(u64::cast_signed))
    } else {
        u32_be(entry, 0).map(u64::from).zip(i32_be(entry, 4).map(i64::from))
    };
    let (duration, media_time) = read.unwrap_or_default();
    Edit { duration, media_time }
}

/// A span of time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: i64,
    pub(super) end: i64,
}

impl Span {
    pub(super) fn length(self) -> u64 {
        u64::try_from(self.end.saturating_sub(self.start)).unwrap_or(0)
    }

    pub(super) fn joined(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Returns the span in which the edits play something of the media; `None` if they play nothing. A pause
/// delays the edits after it, so one between two edits counts, and one at the beginning or the end does not.
pub(super) fn played(edits: &[Edit], movie_timescale: u32, media: Span, timescale: u32) -> Option<Span> {
    let mut clock = 0_i64;
    let mut whole: Option<Span> = None;
    for edit in edits {
        let declared = signed(nanos(edit.duration, u64::from(movie_timescale))?);
        let Ok(media_time) = u64::try_from(edit.media_time) else {
            clock = clock.saturating_add(declared);
            continue;
        };
        let from = signed(nanos(media_time, u64::from(timescale)).unwrap_or(0));
        let wait = media.start.saturating_sub(from).max(0);
        let rest = media.end.saturating_sub(from).max(0);
        let length = if edit.duration == 0 { rest } else { declared.min(rest) };
        if length > wait {
            let part = Span { start: clock.saturating_add(wait), end: clock.saturating_add(length) };
            whole = Some(whole.map_or(part, |span| span.joined(part)));
        }
        clock = clock.saturating_add(length.max(declared));
    }
    whole
}

/// Whether no edit plays anything. Some players then play no media, others all of it.
pub(super) fn are_pauses(edits: &[Edit]) -> bool {
    !edits.is_empty() && edits.iter().all(|edit| edit.media_time < 0)
}

/// Converts a time that is too far away to the farthest one.
pub(super) fn signed(nanos: u64) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX)
}
