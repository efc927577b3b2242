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
    /// In media ticks, or `PAUSE`.
    media_time: i64,
}

const PAUSE: i64 = -1;
/// In ticks. Players add such numbers as signed ones.
const LONGEST_EDIT: u64 = 1 << 62;
/// Writers round the lengths of edits.
const LONGEST_OVERRUN: i64 = 250_000_000;

impl Edit {
    fn is_pause(&self) -> bool {
        self.media_time < 0
    }
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

/// Returns the span in which the edits play some of the media; `None` if they play nothing. A pause delays the edits
/// after it, so it counts between two edits, but not at the beginning or the end.
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

/// Returns the edits as ffmpeg plays them: a pause after the first played edit shows the beginning of the media. `None`
/// if that makes no difference.
pub(super) fn without_later_pauses(edits: &[Edit]) -> Option<Vec<Edit>> {
    let first = edits.iter().position(|edit| !edit.is_pause())?;
    let is_later = |index: usize, edit: &Edit| index > first && edit.is_pause();
    let differs = edits.iter().enumerate().any(|(index, edit)| is_later(index, edit));
    let played = |(index, edit): (usize, &Edit)| Edit {
        media_time: if is_later(index, edit) { 0 } else { edit.media_time },
        ..*edit
    };
    differs.then(|| edits.iter().enumerate().map(played).collect())
}

/// Whether an edit has no length, or is longer than its media although others follow it. Players differ in whether it
/// plays anything, and in when the next edit begins.
pub(super) fn overrun(edits: &[Edit], movie_timescale: u32, media: Span, timescale: u32) -> bool {
    let ends_late = |edit: &Edit| {
        let from = u64::try_from(edit.media_time).ok().and_then(|time| nanos(time, u64::from(timescale)));
        let rest = media.end.saturating_sub(signed(from.unwrap_or(0))).max(0);
        let declared = nanos(edit.duration, u64::from(movie_timescale)).map_or(i64::MAX, signed);
        declared > rest.saturating_add(LONGEST_OVERRUN)
    };
    let last = edits.len().saturating_sub(1);
    let is_wrong = |(index, edit): (usize, &Edit)| edit.duration == 0 || (index < last && ends_late(edit));
    edits.iter().enumerate().filter(|(_, edit)| !edit.is_pause()).any(is_wrong)
}

/// Whether an edit is so long that players compute with it as if it were short or negative.
pub(super) fn are_endless(edits: &[Edit]) -> bool {
    edits.iter().any(|edit| edit.duration >= LONGEST_EDIT)
}

/// Whether an edit begins before the media. Some players then play from its beginning, others nothing.
pub(super) fn begin_early(edits: &[Edit]) -> bool {
    edits.iter().any(|edit| edit.media_time < PAUSE)
}

/// Returns by how many nanoseconds the edits of a fragmented track shift it: by an initial pause, and by a start within
/// the media. `None` if it has other edits, which players treat differently.
pub(super) fn shift(edits: &[Edit], movie_timescale: u32, timescale: u32) -> Option<i64> {
    let pause = edits.first().filter(|edit| edit.is_pause());
    let played = edits.get(usize::from(pause.is_some())..).unwrap_or_default();
    if played.len() > 1 || played.iter().any(Edit::is_pause) {
        return None;
    }
    let wait = pause.map_or(Some(0), |pause| nanos(pause.duration, u64::from(movie_timescale)))?;
    let from = played.first().and_then(|edit| u64::try_from(edit.media_time).ok()).unwrap_or(0);
    Some(signed(wait).saturating_sub(signed(nanos(from, u64::from(timescale))?)))
}

/// Whether no edit plays anything. Some players then play no media, others all of it.
pub(super) fn are_pauses(edits: &[Edit]) -> bool {
    !edits.is_empty() && edits.iter().all(Edit::is_pause)
}

/// Converts a time to a signed number, which saturates.
pub(super) fn signed(nanos: u64) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX)
}
