//! The unit of time for all containers: nanoseconds in a `u64`, enough for 584 years.
//!
//! All arithmetic saturates, so a forged time can become far too long, but never wraps around to a short one. This
//! module must not depend on any container.

pub(crate) const NANOS_PER_SECOND: u64 = 1_000_000_000;
pub(crate) const NANOS_PER_MILLI: u64 = 1_000_000;

/// Computes `value * numerator / denominator` with full precision. Returns `None` if the denominator is zero.
pub(crate) fn scaled(value: u64, numerator: u64, denominator: u64) -> Option<u64> {
    let product = u128::from(value).saturating_mul(u128::from(numerator));
    let quotient = product.checked_div(u128::from(denominator))?;
    Some(u64::try_from(quotient).unwrap_or(u64::MAX))
}

/// Converts ticks to nanoseconds. Returns `None` for a clock with zero ticks per second.
pub(crate) fn nanos(ticks: u64, ticks_per_second: u64) -> Option<u64> {
    scaled(ticks, NANOS_PER_SECOND, ticks_per_second)
}

/// Rounds to the nearest millisecond, the unit of all verdicts.
pub(crate) fn millis(nanos: u64) -> u64 {
    nanos.saturating_add(NANOS_PER_MILLI / 2) / NANOS_PER_MILLI
}

/// Returns events per second for a number of events and the time that they cover.
#[expect(clippy::cast_precision_loss, reason = "an estimate for people; a rate needs no more than 52 bits")]
pub(crate) fn rate(events: u64, nanos: u64) -> Option<f64> {
    let per_second = events as f64 * NANOS_PER_SECOND as f64 / nanos as f64;
    (events > 0 && nanos > 0).then_some((per_second * 1000.0).round() / 1000.0)
}

/// Converts a declared duration in floating-point seconds. Returns `None` unless it is a positive number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and only positive values reach it"
)]
pub(crate) fn nanos_from_seconds(seconds: f64) -> Option<u64> {
    (seconds.is_finite() && seconds > 0.0).then(|| (seconds * 1e9).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_is_exact_and_saturates() {
        assert_eq!(scaled(7, 3, 2), Some(10));
        assert_eq!(scaled(u64::MAX, u64::MAX, u64::MAX), Some(u64::MAX));
        assert_eq!(scaled(u64::MAX, 3, 2), Some(u64::MAX));
        assert_eq!(scaled(1, 1, 0), None);
        assert_eq!(nanos(90_000, 90_000), Some(NANOS_PER_SECOND));
    }

    #[test]
    fn milliseconds_are_rounded_to_the_nearest() {
        assert_eq!([499_999, 500_000, 1_499_999, 1_500_000].map(millis), [0, 1, 1, 2]);
        assert_eq!(millis(u64::MAX), u64::MAX / NANOS_PER_MILLI);
    }

    #[test]
    fn a_rate_is_rounded_to_thousandths() {
        assert_eq!(rate(30_000, 1001 * NANOS_PER_SECOND), Some(29.97));
        assert_eq!(rate(2, 3 * NANOS_PER_SECOND), Some(0.667));
        assert_eq!((rate(0, 1), rate(1, 0)), (None, None));
    }

    #[test]
    fn only_a_positive_number_of_seconds_is_a_duration() {
        assert_eq!(nanos_from_seconds(1.5), Some(1_500_000_000));
        assert_eq!(nanos_from_seconds(1e300), Some(u64::MAX));
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(nanos_from_seconds(seconds), None, "{seconds}");
        }
    }
}
