//! Unwraps the 33-bit clock. All streams of a file share one clock, so each time is placed close to the previous one.
//!
//! This module must not depend on the streams.

const WRAP: i64 = 1 << 33;

#[derive(Debug, Default, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct WrappingClock {
    reference: Option<i64>,
}

impl WrappingClock {
    /// Returns the time nearest to the previous time with the low 33 bits `raw`.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn unwrapped(raw: &[i64]) -> Vec<i64> {
        let mut clock = WrappingClock::default();
        raw.iter().map(|raw| clock.unwrap(u64::try_from(*raw).unwrap())).collect()
    }

    #[test]
    fn a_time_is_the_one_that_is_closest_to_the_previous_time() {
        assert_eq!(unwrapped(&[WRAP - 10, 5, WRAP - 3, 9]), [WRAP - 10, WRAP + 5, WRAP - 3, WRAP + 9]);
        assert_eq!(unwrapped(&[5, WRAP - 3, 5]), [5, -3, 5]);
        assert_eq!(unwrapped(&[7, 7 + WRAP / 2 - 1]), [7, 7 + WRAP / 2 - 1]);
        assert_eq!(unwrapped(&[7, 7 + WRAP / 2]), [7, 7 - WRAP / 2]);
    }

    #[test]
    fn only_33_bits_of_a_time_count() {
        assert_eq!(unwrapped(&[WRAP + 4, 5 * WRAP + 6]), [4, 6]);
    }
}
