//! Conversions between seconds and milliseconds.

/// Rounds to the nearest millisecond. A negative time becomes 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
pub(super) fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}

/// Exact for any duration that the service accepts.
pub(super) fn seconds(milliseconds: u64) -> f64 {
    f64::from(u32::try_from(milliseconds).unwrap_or(u32::MAX)) / 1000.0
}
