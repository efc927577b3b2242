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

/// Returns how long the edits play, in nanoseconds; `None` if they play nothing.
pub(super) fn played(edits: &[Edit], movie_timescale: u32, media: u64, timescale: u32) -> Option<u64> {
    let whole = |edit: &Edit| {
        let skipped = u64::try_from(edit.media_time).unwrap_or(0);
        media.saturating_sub(nanos(skipped, u64::from(timescale)).unwrap_or(0))
    };
    let mut sum = 0_u64;
    for edit in edits {
        let declared = nanos(edit.duration, u64::from(movie_timescale))?;
        let length = match (edit.media_time, edit.duration) {
            (..0, _) => declared,
            (_, 0) => whole(edit),
            _ => declared.min(media),
        };
        sum = sum.saturating_add(length);
    }
    (sum > 0).then_some(sum)
}
