//! Compares a declared duration with the timestamps.
//!
//! The declaration is used only if the timestamps allow it: they determine everything but the duration of the last
//! frame. If a declaration extends long past the last frame, the file is truncated. This module must not depend on any
//! container's structures.

use crate::ends::LeastTime;
use crate::time::NANOS_PER_SECOND;
use crate::{Container, DurationSource, FileRefusal};

/// A larger difference than this cannot be rounding: the end of the file is missing.
const MISSING_END: u64 = NANOS_PER_SECOND;
/// Some recorders start counting up to this long before the first frame, and include it in the duration.
const LEAD_IN: u64 = NANOS_PER_SECOND;
/// A last frame may end this long after the declaration, which is not noticeable.
const LATE_END: u64 = NANOS_PER_SECOND / 4;
/// The largest difference between a declaration and the timestamps that rounding alone can cause.
const ROUNDING: u64 = 2_000_000;
/// The most by which a last frame without a declared duration may be longer than assumed.
const UNDECLARED_END: u64 = 50_000_000 + ROUNDING;

/// The time span seen in the file, in nanoseconds of the file's own clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObservedSpan {
    /// The start of the first frame.
    pub(crate) start: u64,
    /// The start of the last frame.
    pub(crate) last: u64,
    /// The end of the last frame, as far as its duration is certain.
    pub(crate) end: u64,
    /// The latest end of a frame whose duration is declared, or the start if none is.
    pub(crate) known: u64,
    /// The latest end that a declaration may have.
    pub(crate) latest: u64,
}

impl ObservedSpan {
    pub(crate) fn length(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// The duration that a header declares for the whole file, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeclaredLength {
    length: u64,
}

impl DeclaredLength {
    /// Returns a duration that counts either from zero or from the first frame, depending on the writer.
    pub(crate) fn from_zero(length: u64) -> Self {
        Self { length }
    }
}

/// Returns the duration to use and how it was obtained. `source` is the way the span was observed.
pub(crate) fn final_duration(
    declared: Option<DeclaredLength>,
    observed: Option<ObservedSpan>,
    container: Container,
    source: DurationSource,
) -> Result<(u64, DurationSource), FileRefusal> {
    let Some(span) = observed else {
        return Err(without_frames(declared, container));
    };
    let Some(DeclaredLength { length }) = declared else {
        return match span.length() {
            0 => Err(FileRefusal::DurationUnknown { container }),
            length => Ok((length, source)),
        };
    };
    if length > span.end.max(span.length()).saturating_add(MISSING_END) {
        return Err(FileRefusal::Truncated { container, what: "its frames end before its declared duration" });
    }
    // A single frame lasts as long as the header declares, within the second that is still allowed here.
    if allows(span, length) || span.length() == 0 {
        // Rounding must not reduce the duration below what the timestamps have proven.
        let proven = span.last.saturating_sub(span.start);
        let played = length.saturating_sub(lead_in(span, length));
        return Ok((played.max(proven), DurationSource::Confirmed));
    }
    Ok((span.length(), source))
}

/// Returns the least time of a video that plays for `length`. Only a last frame without a declared duration may lead to
/// a longer time than the observed one; anything else that a header adds counts.
pub(crate) fn least_within(least: Option<LeastTime>, length: u64, observed: Option<ObservedSpan>) -> Option<LeastTime> {
    let is_explained = observed.is_some_and(|span| length <= span.length().saturating_add(UNDECLARED_END));
    least.map(|least| if is_explained { least } else { LeastTime { nanos: length, ..least } })
}

/// Returns the time before the first frame that a declaration includes. It is not played.
fn lead_in(span: ObservedSpan, declared: u64) -> u64 {
    let longest = span.latest.saturating_sub(span.start).saturating_add(ROUNDING);
    if declared > longest { span.start.min(LEAD_IN) } else { 0 }
}

/// Whether the last frame can last as long as the declaration requires. Players show it for its own declared duration.
fn allows(span: ObservedSpan, declared: u64) -> bool {
    let shortest = span.last.saturating_sub(ROUNDING).max(span.known.saturating_sub(LATE_END));
    let shortest = shortest.saturating_sub(span.start);
    let longest =
        span.latest.saturating_sub(span.start).saturating_add(span.start.min(LEAD_IN)).saturating_add(ROUNDING);
    (shortest..=longest).contains(&declared)
}

fn without_frames(declared: Option<DeclaredLength>, container: Container) -> FileRefusal {
    match declared {
        Some(DeclaredLength { length }) if length > MISSING_END => {
            FileRefusal::Truncated { container, what: "it declares a duration but contains no frames" }
        }
        _ => FileRefusal::DurationUnknown { container },
    }
}

#[cfg(test)]
mod tests;
