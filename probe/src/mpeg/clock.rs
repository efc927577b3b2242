//! The 33-bit clock, unwrapped: all streams of a file share one, so each time is read next to the last one seen.

use super::stream::Stream;
use super::ticks_to_nanos;
use crate::reconcile::Observed;
use crate::timeline::together;

const WRAP: i64 = 1 << 33;

#[derive(Debug, Default)]
pub(super) struct Clock {
    reference: Option<i64>,
}

impl Clock {
    /// The time closest to the one before that reads like this in 33 bits.
    pub(super) fn unwrap(&mut self, raw: u64) -> i64 {
        let raw = i64::try_from(raw).unwrap_or(0).rem_euclid(WRAP);
        let reference = self.reference.unwrap_or(raw);
        let ahead = (raw - reference.rem_euclid(WRAP)).rem_euclid(WRAP);
        let distance = if ahead < WRAP / 2 {
            ahead
        } else {
            ahead - WRAP
        };
        let time = reference.saturating_add(distance);
        self.reference = Some(time);
        time
    }
}

pub(super) fn observed(streams: &[Stream]) -> Option<Observed> {
    together(
        streams.iter().map(Stream::timeline),
        u64::MAX,
        ticks_to_nanos,
    )
}
