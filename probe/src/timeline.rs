//! The timestamps of one track in the order of the file, reduced to a handful of numbers.
//!
//! A clock that jumps back begins a new piece, and all pieces count: players go on where the clock starts
//! anew, so a restarted clock must not hide what came before. Works in the container's own ticks.

use crate::reconcile::Observed;

/// A program stream repeats its times at least that often, in ticks of 90 kHz.
const STAMPS_APART: u64 = 63_000;

/// A stretch of timestamps without a break.
#[derive(Debug, Clone, Copy)]
struct Piece {
    first: i64,
    /// The latest start of a frame.
    last: i64,
    /// The latest end of a frame whose length is told.
    told_end: i64,
    /// The order timestamp of the frame before.
    previous: i64,
    frames: u64,
}

/// One frame, or a packet of frames.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) at: i64,
    /// What orders the frames: the decoding time where it differs from the presentation's.
    pub(crate) order: i64,
    /// How long it stays, where the container tells.
    pub(crate) stays: Option<u64>,
}

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Timeline {
    piece: Option<Piece>,
    /// Length of the pieces before the current one.
    settled: u64,
    frames: u64,
}

impl Timeline {
    /// Takes the next frame; going back by more than `tolerance` is a break.
    pub(crate) fn observe(&mut self, frame: Frame, tolerance: i64) {
        self.frames = self.frames.saturating_add(1);
        let end = frame.at.saturating_add_unsigned(frame.stays.unwrap_or(0));
        match &mut self.piece {
            Some(piece) if frame.order.saturating_add(tolerance) >= piece.previous => {
                piece.first = piece.first.min(frame.at);
                piece.last = piece.last.max(frame.at);
                piece.told_end = piece.told_end.max(end);
                piece.previous = frame.order;
                piece.frames = piece.frames.saturating_add(1);
            }
            piece => {
                self.settled = self
                    .settled
                    .saturating_add(piece.map_or(0, |piece| piece.length(u64::MAX)));
                *piece = Some(Piece {
                    first: frame.at,
                    last: frame.at,
                    told_end: end,
                    previous: frame.order,
                    frames: 1,
                });
            }
        }
    }

    /// A length told after the frame that it belongs to.
    pub(crate) fn prolong(&mut self, at: i64, stays: u64) {
        if let Some(piece) = &mut self.piece {
            piece.told_end = piece.told_end.max(at.saturating_add_unsigned(stays));
        }
    }

    /// Packets may hold several frames of which only the first one has a time. So many frames of one length
    /// reach a little beyond the last time; a count that is far off (fields, pulldown) tells nothing.
    pub(crate) fn fill_with_frames(&mut self, frame: u64, count: u64) {
        let Some(piece) = self.piece.as_mut().filter(|_| self.settled == 0) else {
            return;
        };
        let stamped = piece.last.saturating_add_unsigned(frame);
        let counted = piece
            .first
            .saturating_add_unsigned(frame.saturating_mul(count));
        let is_believable =
            (0..STAMPS_APART).contains(&distance(stamped, counted)) && counted > stamped;
        piece.told_end = piece
            .told_end
            .max(if is_believable { counted } else { stamped });
    }

    /// How long a frame stayed on average.
    pub(crate) fn pace(&self) -> u64 {
        self.piece.map_or(0, |piece| piece.pace())
    }

    pub(crate) fn frames(&self) -> u64 {
        self.frames
    }

    /// The pieces before, and the current one up to its last frame's start: what no later byte takes back.
    fn certain(&self) -> u64 {
        self.settled.saturating_add(
            self.piece
                .map_or(0, |piece| piece.last.abs_diff(piece.first)),
        )
    }

    fn length(&self, guess: u64) -> u64 {
        self.settled
            .saturating_add(self.piece.map_or(0, |piece| piece.length(guess)))
    }
}

impl Piece {
    /// How long one frame stays on average.
    fn pace(&self) -> u64 {
        let between = self.frames.saturating_sub(1);
        self.last
            .abs_diff(self.first)
            .checked_div(between)
            .unwrap_or(0)
    }

    /// The last frame stays as long as the file says, else as long as frames did on average, but for `guess` at most.
    fn end(&self, guess: u64) -> i64 {
        if self.told_end > self.last {
            self.told_end
        } else {
            self.last.saturating_add_unsigned(self.pace().min(guess))
        }
    }

    /// A declared end may leave the last frame twice its likely time.
    fn latest(&self) -> i64 {
        self.end(u64::MAX).saturating_add_unsigned(self.pace())
    }

    fn length(&self, guess: u64) -> u64 {
        distance(self.first, self.end(guess))
    }
}

/// What the longest track proves by itself, in nanoseconds. Only grows, and `together` is never less.
pub(crate) fn proven<'a>(
    tracks: impl Iterator<Item = &'a Timeline>,
    nanos: impl Fn(u64) -> u64,
) -> u64 {
    nanos(tracks.map(Timeline::certain).max().unwrap_or(0))
}

/// What several tracks cover together; `nanos` turns ticks into nanoseconds, and `guess` is how many ticks
/// the last frame is taken to stay at most where nothing tells.
pub(crate) fn together<'a>(
    tracks: impl Iterator<Item = &'a Timeline> + Clone,
    guess: u64,
    nanos: impl Fn(u64) -> u64,
) -> Option<Observed> {
    let pieces = || tracks.clone().filter_map(|track| track.piece);
    let first = pieces().map(|piece| piece.first).min()?;
    let last = pieces().map(|piece| piece.last).max()?;
    let end = pieces().map(|piece| piece.end(guess)).max()?;
    let latest = pieces().map(|piece| piece.latest()).max()?;
    let lengths = tracks.clone().map(|track| track.length(guess));
    let length = lengths.max()?.max(distance(first, end));
    let certain = tracks
        .map(Timeline::certain)
        .max()?
        .max(distance(first, last));
    let longest = nanos(length.max(distance(first, latest)));
    // A forged start must not push the end beyond what a number holds, and the length with it.
    let start = nanos(first.try_into().unwrap_or(0)).min(u64::MAX - longest);
    Some(Observed {
        start,
        last: start.saturating_add(nanos(certain)),
        end: start.saturating_add(nanos(length)),
        latest: start.saturating_add(longest),
    })
}

fn distance(from: i64, to: i64) -> u64 {
    to.saturating_sub(from).try_into().unwrap_or(0)
}
