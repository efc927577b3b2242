//! The timestamps of one track in file order, reduced to a few numbers.
//!
//! If the clock jumps back, a new run begins, and all runs count: players continue where the clock restarts, so a
//! restarted clock must not hide what came before. Times are in the container's own ticks. This module must not depend
//! on any container.

use crate::ends::TrackEnds;
use crate::reconcile::ObservedSpan;
use crate::sound_bytes::SoundAmount;
use crate::{MediaTrack, TrackKind};

/// The longest time between two timestamps of a program stream, in ticks of 90 kHz.
const MAX_TIMESTAMP_GAP: i64 = 63_000;

/// A run of timestamps without a jump back.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct ClockRun {
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
    run: Option<ClockRun>,
    /// The total length of the previous runs.
    earlier_runs: u64,
    frames: u64,
    /// The longest step back of a frame from an earlier one.
    farthest_back: u64,
    /// The packets and bytes, if the container counts them.
    pub(crate) sound: SoundAmount,
    /// The number of frames without a picture.
    pub(crate) empty: u64,
}

impl Timeline {
    /// Adds the next frame. If its order goes back by more than `tolerance`, a new run begins.
    pub(crate) fn observe(&mut self, frame: TimedFrame, tolerance: i64) {
        self.frames = self.frames.saturating_add(1);
        let end = frame.at.saturating_add_unsigned(frame.duration.unwrap_or(0));
        let back = self.run.map_or(0, |run| distance(frame.at, run.last));
        self.farthest_back = self.farthest_back.max(back);
        match &mut self.run {
            Some(run) if frame.order.saturating_add(tolerance) >= run.previous => {
                run.first = run.first.min(frame.at);
                run.last = run.last.max(frame.at);
                run.known_end = run.known_end.max(end);
                run.previous = frame.order;
                run.frames = run.frames.saturating_add(1);
            }
            run => {
                self.earlier_runs = self.earlier_runs.saturating_add(run.map_or(0, |run| run.length(u64::MAX)));
                *run = Some(ClockRun {
                    first: frame.at,
                    last: frame.at,
                    known_end: end,
                    previous: frame.order,
                    frames: 1,
                });
            }
        }
    }

    /// Sets the duration of a frame that was already added.
    pub(crate) fn prolong(&mut self, at: i64, duration: u64) {
        if let Some(run) = &mut self.run {
            run.known_end = run.known_end.max(at.saturating_add_unsigned(duration));
        }
    }

    /// Sets the duration of the last frame.
    pub(crate) fn prolong_last(&mut self, duration: u64) {
        if let Some(last) = self.run.map(|run| run.last) {
            self.prolong(last, duration);
        }
    }

    /// Extends the track by frames without a timestamp: only the first of several frames in a packet has one. `count`
    /// frames of `frame` ticks each must end a little after the last timestamp; a count that is far off (because of
    /// fields or pulldown) is ignored.
    pub(crate) fn fill_with_frames(&mut self, frame: u64, count: u64) {
        let Some(run) = self.run.as_mut().filter(|_| self.earlier_runs == 0) else {
            return;
        };
        let end_by_timestamps = run.last.saturating_add_unsigned(frame);
        let end_by_count = run.first.saturating_add_unsigned(frame.saturating_mul(count));
        let is_plausible = (0..MAX_TIMESTAMP_GAP).contains(&end_by_count.saturating_sub(end_by_timestamps));
        run.known_end = run.known_end.max(if is_plausible { end_by_count } else { end_by_timestamps });
    }

    /// Returns how long the frames without a picture last together.
    pub(crate) fn empty_span(&self) -> u64 {
        self.empty.saturating_mul(self.average_frame())
    }

    /// Returns the average duration of a frame.
    pub(crate) fn average_frame(&self) -> u64 {
        self.run.map_or(0, |run| run.average_frame())
    }

    /// Returns the time from the first to the last frame.
    pub(crate) fn span(&self) -> u64 {
        self.certain()
    }

    /// Returns where the track begins and ends. `None` if it has no frames, or if its clock was restarted. `nanos`
    /// and `guess` are those of `combined_span`.
    pub(crate) fn ends(&self, track: &MediaTrack, guess: u64, nanos: impl Fn(u64) -> u64) -> Option<TrackEnds> {
        let run = self.run.filter(|_| self.earlier_runs == 0)?;
        let at = |ticks: i64| {
            let distance = i64::try_from(nanos(ticks.unsigned_abs())).unwrap_or(i64::MAX);
            distance.saturating_mul(ticks.signum())
        };
        let end = run.end(guess);
        let span = (at(run.first), at(end));
        let last = nanos(distance(run.last, end));
        Some(match track.kind {
            TrackKind::Video => {
                TrackEnds::of_pictures(track.codec, span, last, nanos(run.average_frame().saturating_add(1)))
            }
            TrackKind::Audio => TrackEnds::of_sound(span, (run.known_end > run.last).then_some(last), track),
            TrackKind::Other => TrackEnds::of_other(span),
        })
    }

    pub(crate) fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the longest step back of a frame from an earlier one.
    pub(crate) fn farthest_back(&self) -> u64 {
        self.farthest_back
    }

    /// Returns the length of the previous runs, and of the current run up to the start of its last frame. No later byte
    /// can reduce it.
    fn certain(&self) -> u64 {
        self.earlier_runs.saturating_add(self.run.map_or(0, |run| run.last.abs_diff(run.first)))
    }

    /// Returns the length up to the latest end of a frame whose duration is declared.
    fn known(&self) -> u64 {
        self.earlier_runs.saturating_add(self.run.map_or(0, |run| distance(run.first, run.known_end)))
    }

    /// Returns the length of all runs. `guess` is that of `combined_span`.
    pub(crate) fn length(&self, guess: u64) -> u64 {
        self.earlier_runs.saturating_add(self.run.map_or(0, |run| run.length(guess)))
    }
}

impl ClockRun {
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

    fn length(&self, guess: u64) -> u64 {
        distance(self.first, self.end(guess))
    }
}

/// Returns the duration that the longest track proves by itself, in nanoseconds. Never decreases, and never exceeds
/// `combined_span`.
pub(crate) fn proven<'a>(tracks: impl Iterator<Item = &'a Timeline>, nanos: impl Fn(u64) -> u64) -> u64 {
    nanos(tracks.map(Timeline::certain).max().unwrap_or(0))
}

/// Returns the span that several tracks cover together. `nanos` converts ticks to nanoseconds. `guess` is the longest
/// duration in ticks assumed for a last frame without a declared duration.
pub(crate) fn combined_span<'a>(
    tracks: impl Iterator<Item = &'a Timeline> + Clone,
    guess: u64,
    nanos: impl Fn(u64) -> u64,
) -> Option<ObservedSpan> {
    let runs = || tracks.clone().filter_map(|track| track.run);
    let first = runs().map(|run| run.first).min()?;
    let last = runs().map(|run| run.last).max()?;
    let end = runs().map(|run| run.end(guess)).max()?;
    let latest = runs().map(|run| run.latest()).max()?;
    let lengths = tracks.clone().map(|track| track.length(guess));
    let length = lengths.max()?.max(distance(first, end));
    let known = runs().map(|run| distance(first, run.known_end)).max()?;
    let known = tracks.clone().map(Timeline::known).max()?.max(known);
    let certain = tracks.map(Timeline::certain).max()?.max(distance(first, last));
    let longest = nanos(length.max(distance(first, latest)));
    // A forged start must not overflow the end and thereby hide the length.
    let start = nanos(first.try_into().unwrap_or(0)).min(u64::MAX - longest);
    Some(ObservedSpan {
        start,
        last: start.saturating_add(nanos(certain)),
        end: start.saturating_add(nanos(length)),
        known: start.saturating_add(nanos(known)),
        latest: start.saturating_add(longest),
    })
}

fn distance(from: i64, to: i64) -> u64 {
    to.saturating_sub(from).try_into().unwrap_or(0)
}

#[cfg(test)]
mod tests;
