//! The pace at which the failed requests of a channel are stored: the first at once, the next after a pause that
//! doubles while requests go on failing. So a client that fails all the time costs one write in twenty seconds.

/// The platform runs work for up to 30 seconds after the response, so no pause may be longer.
const PAUSES_MS: std::ops::RangeInclusive<u64> = 2_000..=20_000;
/// After this time without a write that was due, the next pause is the shortest again.
const QUIET_MS: u64 = 60_000;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    next_ms: u64,
    pause_ms: u64,
}

impl Pace {
    /// Returns the earliest time of the next write.
    pub(super) fn next_ms(&self) -> u64 {
        self.next_ms
    }

    pub(super) fn is_quiet(&self, now_ms: u64) -> bool {
        now_ms >= self.next_ms + QUIET_MS
    }

    /// Notes a write, which must not be earlier than `next_ms`.
    pub(super) fn note_write(&mut self, now_ms: u64) {
        let is_first = self.pause_ms == 0 || self.is_quiet(now_ms);
        let pause = if is_first { *PAUSES_MS.start() } else { (2 * self.pause_ms).min(*PAUSES_MS.end()) };
        (self.next_ms, self.pause_ms) = (now_ms + pause, pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_up_to_twenty_seconds_and_is_short_again_after_a_quiet_minute() {
        let (mut pace, mut now_ms) = (Pace::default(), 1_000_000);
        for pause_ms in [2_000, 4_000, 8_000, 16_000, 20_000, 20_000] {
            pace.note_write(now_ms);
            assert_eq!(pace.next_ms() - now_ms, pause_ms);
            now_ms = pace.next_ms();
        }
        assert!(!pace.is_quiet(now_ms + QUIET_MS - 1) && pace.is_quiet(now_ms + QUIET_MS));
        pace.note_write(now_ms + QUIET_MS);
        assert_eq!(pace.next_ms(), now_ms + QUIET_MS + 2_000);
    }
}
