//! The timestamps of one track in file order, reduced to a few numbers.
//!
//! Players differ in what they make of a clock that jumps back. This module measures the jumps; the containers decide
//! what to refuse. Times are in the container's own ticks. This module must not depend on any container.

use crate::ends::TrackEnds;
use crate::reconcile::ObservedSpan;
use crate::sound_bytes::SoundAmount;
use crate::{MediaTrack, TrackKind};

/// The longest time between two timestamps of a program stream, in ticks of 90 kHz.
const MAX_TIMESTAMP_GAP: i64 = 63_000;

/// The time that the frames of a track cover.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct CoveredTime {
    first: i64,
    /// The latest start of a frame.
    last: i64,
    /// The latest end of a frame whose duration is known.
    known_end: i64,
    /// The order timestamp of the previous frame.
    previous: i64,
    frames: u64,
}

/// One frame, or a packet of frames.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimedFrame {
    pub(crate) at: i64,
    /// Orders the frames: the decoding time if there is one, otherwise the presentation time.
    pub(crate) order: i64,
    /// The duration of the frame, if the container declares it.
    pub(crate) duration: Option<u64>,
}

#[derive(Debug, Default, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Timeline {
    covered: Option<CoveredTime>,
    /// The total of the steps back in the order of frames, without those within the tolerance.
    jumps_back: u64,
    /// The longest step back of a frame from an earlier one.
    farthest_back: u64,
    /// The packets and bytes, if the container counts them.
    pub(crate) sound: SoundAmount,
    /// The total time of the frames without a picture, each up to the next frame.
    empty: u64,
    /// Whether the latest frame has no picture.
    ends_empty: bool,
}

impl Timeline {
    /// Adds the next frame, whose order may go back by `tolerance`.
    pub(crate) fn observe(&mut self, frame: TimedFrame, tolerance: i64) {
        let end = frame.at.saturating_add_unsigned(frame.duration.unwrap_or(0));
        let Some(covered) = &mut self.covered else {
            let (at, previous) = (frame.at, frame.order);
            self.covered = Some(CoveredTime { first: at, last: at, known_end: end, previous, frames: 1 });
            return;
        };
        if std::mem::take(&mut self.ends_empty) {
            self.empty = self.empty.saturating_add(distance(covered.previous, frame.order));
        }
        self.farthest_back = self.farthest_back.max(distance(frame.at, covered.last));
        if frame.order.saturating_add(tolerance) < covered.previous {
            self.jumps_back = self.jumps_back.saturating_add(distance(frame.order, covered.previous));
        }
        covered.first = covered.first.min(frame.at);
        covered.last = covered.last.max(frame.at);
        covered.known_end = covered.known_end.max(end);
        covered.previous = frame.order;
        covered.frames = covered.frames.saturating_add(1);
    }

    /// Notes that the latest frame has no picture.
    pub(crate) fn note_empty(&mut self) {
        self.ends_empty = true;
    }

    /// Sets the duration of a frame that was already added.
    pub(crate) fn prolong(&mut self, at: i64, duration: u64) {
        if let Some(covered) = &mut self.covered {
            covered.known_end = covered.known_end.max(at.saturating_add_unsigned(duration));
        }
    }

    /// Sets the duration of the last frame.
    pub(crate) fn prolong_last(&mut self, duration: u64) {
        if let Some(last) = self.covered.map(|covered| covered.last) {
            self.prolong(last, duration);
        }
    }

    /// Extends the track by frames without a timestamp: only the first of several frames in a packet has one. `count`
    /// frames of `frame` ticks each must end a little after the last timestamp; a count that is far off (because of
    /// fields or pulldown) is ignored.
    pub(crate) fn fill_with_frames(&mut self, frame: u64, count: u64) {
        let Some(covered) = &mut self.covered else { return };
        let end_by_timestamps = covered.last.saturating_add_unsigned(frame);
        let end_by_count = covered.first.saturating_add_unsigned(frame.saturating_mul(count));
        let is_plausible = (0..MAX_TIMESTAMP_GAP).contains(&end_by_count.saturating_sub(end_by_timestamps));
        covered.known_end = covered.known_end.max(if is_plausible { end_by_count } else { end_by_timestamps });
    }

    /// Returns how long the frames without a picture last together.
    pub(crate) fn empty_span(&self) -> u64 {
        let last = if self.ends_empty { self.average_frame() } else { 0 };
        self.empty.saturating_add(last)
    }

    /// Returns the average duration of a frame.
    pub(crate) fn average_frame(&self) -> u64 {
        self.covered.map_or(0, |covered| covered.average_frame())
    }

    /// Returns where the track begins and ends, or `None` if it has no frames. `combined_span` explains `nanos` and
    /// `guess`.
    pub(crate) fn ends(&self, track: &MediaTrack, guess: u64, nanos: impl Fn(u64) -> u64) -> Option<TrackEnds> {
        let covered = self.covered?;
        let at = |ticks: i64| {
            let distance = i64::try_from(nanos(ticks.unsigned_abs())).unwrap_or(i64::MAX);
            distance.saturating_mul(ticks.signum())
        };
        let end = covered.end(guess);
        let span = (at(covered.first), at(end));
        let last = nanos(distance(covered.last, end));
        Some(match track.kind {
            TrackKind::Video => {
                TrackEnds::of_pictures(track.codec, span, last, nanos(covered.average_frame().saturating_add(1)))
            }
            TrackKind::Audio => TrackEnds::of_sound(span, (covered.known_end > covered.last).then_some(last), track),
            TrackKind::Other => TrackEnds::of_other(span),
        })
    }

    pub(crate) fn frames(&self) -> u64 {
        self.covered.map_or(0, |covered| covered.frames)
    }

    /// Returns the total of all jumps back. At a jump, some players restart their clock. Others show the next frames at
    /// the time of earlier ones, or not at all.
    pub(crate) fn jumps_back(&self) -> u64 {
        self.jumps_back
    }

    /// Returns the longest step back of a frame from an earlier one.
    pub(crate) fn farthest_back(&self) -> u64 {
        self.farthest_back
    }

    /// Returns the time from the start of the first frame to that of the last one. No later byte can reduce it.
    pub(crate) fn span(&self) -> u64 {
        self.covered.map_or(0, |covered| distance(covered.first, covered.last))
    }

    /// Returns the time from the start of the first frame to the end of the last one. `combined_span` explains `guess`.
    pub(crate) fn length(&self, guess: u64) -> u64 {
        self.covered.map_or(0, |covered| distance(covered.first, covered.end(guess)))
    }
}

impl CoveredTime {
    /// Returns the average duration of a frame.
    fn average_frame(&self) -> u64 {
        let between = self.frames.saturating_sub(1);
        self.last.abs_diff(self.first).checked_div(between).unwrap_or(0)
    }

    /// Returns the end of the last frame: as declared, otherwise after the average frame duration, but at most `guess`
    /// ticks.
    fn end(&self, guess: u64) -> i64 {
        if self.known_end > self.last {
            self.known_end
        } else {
            self.last.saturating_add_unsigned(self.average_frame().min(guess))
        }
    }

    /// Returns the latest end that a declaration may have: twice the likely duration of the last frame.
    fn latest(&self) -> i64 {
        self.end(u64::MAX).saturating_add_unsigned(self.average_frame())
    }
}

/// Returns the duration that the longest track proves by itself, in nanoseconds. Never decreases, and never exceeds
/// `combined_span`.
pub(crate) fn proven<'a>(tracks: impl Iterator<Item = &'a Timeline>, nanos: impl Fn(u64) -> u64) -> u64 {
    nanos(tracks.map(Timeline::span).max().unwrap_or(0))
}

/// Returns the span that several tracks cover together. `nanos` converts ticks to nanoseconds. `guess` is the longest
/// duration in ticks assumed for a last frame without a declared duration.
pub(crate) fn combined_span<'a>(
    tracks: impl Iterator<Item = &'a Timeline> + Clone,
    guess: u64,
    nanos: impl Fn(u64) -> u64,
) -> Option<ObservedSpan> {
    let covered = tracks.filter_map(|track| track.covered);
    let first = covered.clone().map(|track| track.first).min()?;
    let farthest = |at: &dyn Fn(CoveredTime) -> i64| covered.clone().map(at).max().map(|at| distance(first, at));
    let longest = nanos(farthest(&|track| track.latest())?);
    // A forged start must not overflow the end and thereby hide the length.
    let start = nanos(first.try_into().unwrap_or(0)).min(u64::MAX - longest);
    Some(ObservedSpan {
        start,
        last: start.saturating_add(nanos(farthest(&|track| track.last)?)),
        end: start.saturating_add(nanos(farthest(&|track| track.end(guess))?)),
        known: start.saturating_add(nanos(farthest(&|track| track.known_end)?)),
        latest: start.saturating_add(longest),
    })
}

fn distance(from: i64, to: i64) -> u64 {
    to.saturating_sub(from).try_into().unwrap_or(0)
}

#[cfg(test)]
mod tests;
