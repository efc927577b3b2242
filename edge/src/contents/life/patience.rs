//! The pauses of a change while other changes of the same content win, and the time after which it gives up.
//!
//! Pure: the time that has passed and the randomness are arguments. `door` waits.

use std::time::Duration;

/// The longest first pause: about the time of a change. Each lost race doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
/// The maximum number of doublings, so that a pause cannot overflow. Every longest pause is reached before.
const MOST_DOUBLINGS: u32 = 10;

/// The patience of those who ask for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// An owner, whose program may have many connections.
    Owner,
    /// Moderators, origins, operators and the sweep. With their short pauses they try more often than owners.
    Staff,
}

impl Patience {
    /// The time after which no other try begins.
    pub(crate) const fn bound(self) -> Duration {
        Duration::from_secs(match self {
            Self::Owner => 5,
            Self::Staff => 15,
        })
    }

    /// Among many connections, longer pauses save the database useless tries, and shorter ones find a free moment
    /// sooner.
    const fn longest_pause(self) -> Duration {
        Duration::from_millis(match self {
            Self::Owner => 2_560,
            Self::Staff => 40,
        })
    }

    /// Returns the pause before the next try, or `None` if the time is over. The last try begins when the time ends.
    /// `lost` is the number of lost races.
    pub(super) fn pause(self, lost: u32, elapsed: Duration, random: u8) -> Option<Duration> {
        let doublings = lost.saturating_sub(1).min(MOST_DOUBLINGS);
        let longest = (FIRST_PAUSE * 2_u32.pow(doublings)).min(self.longest_pause());
        // The whole pause is random: changes that lost together must not meet again.
        let pause = longest * (u32::from(random) + 1) / 256;
        let left = self.bound().saturating_sub(elapsed);
        (left > Duration::ZERO).then(|| pause.min(left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: u8 = 255;

    /// Returns the pauses of a change that loses every race, if its tries take no time.
    fn pauses(patience: Patience, random: u8) -> Vec<Duration> {
        let mut pauses = Vec::new();
        let mut elapsed = Duration::ZERO;
        while let Some(pause) = patience.pause(u32::try_from(pauses.len()).unwrap() + 1, elapsed, random) {
            elapsed += pause;
            pauses.push(pause);
        }
        pauses
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let first = |patience| pauses(patience, LONGEST).iter().take(10).map(Duration::as_millis).collect::<Vec<_>>();
        assert_eq!(first(Patience::Owner), [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_445]);
        assert_eq!(first(Patience::Staff), [5, 10, 20, 40, 40, 40, 40, 40, 40, 40]);
    }

    #[test]
    fn a_change_that_always_loses_ends_at_its_bound() {
        for (patience, seconds) in [(Patience::Owner, 5), (Patience::Staff, 15)] {
            for random in [0, 1, 127, LONGEST] {
                let waited: Duration = pauses(patience, random).iter().sum();
                assert_eq!(waited, Duration::from_secs(seconds), "{patience:?} {random}");
            }
            assert_eq!(patience.pause(1, patience.bound(), 0), None);
            assert!(patience.pause(u32::MAX, Duration::ZERO, LONGEST).is_some());
        }
    }

    #[test]
    fn the_whole_pause_is_random() {
        let millis = |random| Patience::Owner.pause(8, Duration::ZERO, random).unwrap().as_micros();
        assert_eq!([0, 127, LONGEST].map(millis), [2_500, 320_000, 640_000]);
    }

    #[test]
    fn staff_never_waits_longer_than_an_owner() {
        for lost in 0..20 {
            let pause = |patience: Patience| patience.pause(lost, Duration::ZERO, LONGEST);
            assert!(pause(Patience::Staff) <= pause(Patience::Owner), "{lost}");
        }
    }
}
