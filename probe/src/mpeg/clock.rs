//! Unwraps the 33-bit clock. All streams of a file share one clock, so each time is placed close to the previous one.
//!
//! This module must not depend on the streams.

const WRAP: i64 = 1 << 33;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct WrappingClock {
    reference: Option<i64>,
}

impl WrappingClock {
    /// Returns the time closest to the previous one whose low 33 bits equal `raw`.
    pub(super) fn unwrap(&mut self, raw: u64) -> i64 {
        let raw = i64::try_from(raw).unwrap_or(0).rem_euclid(WRAP);
        let reference = self.reference.unwrap_or(raw);
        let ahead = (raw - reference.rem_euclid(WRAP)).rem_euclid(WRAP);
        let distance = if ahead < WRAP / 2 { ahead } else { ahead - WRAP };
        let time = reference.saturating_add(distance);
        self.reference = Some(time);
        time
    }
}
