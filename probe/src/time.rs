//! One unit of time for every container: nanoseconds in a `u64`, which hold 584 years.
//!
//! All arithmetic saturates, so that a forged time is at worst far too long, and never wraps to a short one.

pub(crate) const NANOS_PER_SECOND: u64 = 1_000_000_000;
pub(crate) const NANOS_PER_MILLI: u64 = 1_000_000;

/// `value * numerator / denominator` without losing bits on the way; `None` for a denominator of zero.
pub(crate) fn scaled(value: u64, numerator: u64, denominator: u64) -> Option<u64> {
    let product = u128::from(value).saturating_mul(u128::from(numerator));
    let quotient = product.checked_div(u128::from(denominator))?;
    Some(u64::try_from(quotient).unwrap_or(u64::MAX))
}

/// Ticks of a clock as nanoseconds; `None` for a clock that stands still.
pub(crate) fn nanos(ticks: u64, ticks_per_second: u64) -> Option<u64> {
    scaled(ticks, NANOS_PER_SECOND, ticks_per_second)
}

/// To the nearest millisecond, the unit of every verdict.
pub(crate) fn millis(nanos: u64) -> u64 {
    nanos.saturating_add(NANOS_PER_MILLI / 2) / NANOS_PER_MILLI
}

/// Events per second, from a number of events and the time that they cover.
#[expect(
    clippy::cast_precision_loss,
    reason = "an estimate for people; a rate needs no more than 52 bits"
)]
pub(crate) fn rate(events: u64, nanos: u64) -> Option<f64> {
    let per_second = events as f64 * NANOS_PER_SECOND as f64 / nanos as f64;
    (events > 0 && nanos > 0).then_some((per_second * 1000.0).round() / 1000.0)
}

/// A declared length in floating-point seconds; what is not a positive number is no declaration.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and only positive values reach it"
)]
pub(crate) fn nanos_from_seconds(seconds: f64) -> Option<u64> {
    (seconds.is_finite() && seconds > 0.0).then(|| (seconds * 1e9).round() as u64)
}
