//! The daily upload limit of a channel. A day is a UTC day.

use crate::base::unix_seconds::UnixSeconds;
use axum::http::{HeaderMap, HeaderValue};
use contract::api::LimitState;
use contract::limits::{KEY_REQUESTS_SECONDS, MAX_KEY_REQUESTS};

const SECONDS_A_DAY: u64 = 86_400;
/// The translation key of the message that the site shows when the limit is reached.
const TRANSLATION_KEY: &str = "content_upload_limit_failure";

/// Returns the days since 1970-01-01, 00:00 UTC.
pub(crate) fn day_of(moment: UnixSeconds) -> u64 {
    moment.0 / SECONDS_A_DAY
}

/// Returns the moment at which the day ends.
pub(crate) fn end_of_day(day: u64) -> UnixSeconds {
    UnixSeconds((day + 1) * SECONDS_A_DAY)
}

/// The uploads of a channel on one day, and its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    pub day: u64,
    pub amount: u32,
    pub used: u32,
}

impl Usage {
    pub(crate) fn remaining(self) -> u32 {
        self.amount.saturating_sub(self.used)
    }

    pub(crate) fn resets_at(self) -> UnixSeconds {
        end_of_day(self.day)
    }

    pub(crate) fn state(self) -> LimitState {
        let is_limit_activated = self.remaining() == 0;
        LimitState {
            ui_limit_failure_translation_key: TRANSLATION_KEY.to_owned(),
            is_limit_activated,
            limit_reset_time_unix: is_limit_activated.then(|| self.resets_at().0),
            limit_amount: self.amount,
        }
    }

    /// Adds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
    pub(crate) fn add_headers(self, now: UnixSeconds, headers: &mut HeaderMap) {
        let seconds = self.resets_at().seconds_since(now);
        let policy = format!("\"daily\";q={};w={SECONDS_A_DAY}, {}", self.amount, burst_policy());
        let state = format!("\"daily\";r={};t={seconds}", self.remaining());
        insert(headers, policy, state);
    }
}

/// Adds the same headers for a key that makes too many requests at once. Its daily limit is not known then.
pub(crate) fn add_burst_headers(headers: &mut HeaderMap) {
    insert(headers, burst_policy(), format!("\"burst\";r=0;t={KEY_REQUESTS_SECONDS}"));
}

fn burst_policy() -> String {
    format!("\"burst\";q={MAX_KEY_REQUESTS};w={KEY_REQUESTS_SECONDS}")
}

fn insert(headers: &mut HeaderMap, policy: String, state: String) {
    for (name, value) in [("ratelimit-policy", policy), ("ratelimit", state)] {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_day_ends_at_midnight_utc() {
        assert_eq!(day_of(UnixSeconds(86_399)), 0);
        assert_eq!(day_of(UnixSeconds(86_400)), 1);
    }

    #[test]
    fn the_limit_is_active_once_the_last_slot_is_used() {
        let usage = |used| Usage { day: 1, amount: 2, used };
        assert!(!usage(1).state().is_limit_activated);
        assert_eq!(usage(1).state().limit_reset_time_unix, None);
        assert!(usage(2).state().is_limit_activated);
        assert_eq!(usage(2).state().limit_reset_time_unix, Some(172_800));
    }

    #[test]
    fn a_limit_below_the_usage_leaves_no_uploads() {
        assert_eq!(Usage { day: 0, amount: 3, used: 5 }.remaining(), 0);
    }

    #[test]
    fn the_rate_limit_headers_are_structured_fields() {
        let mut headers = HeaderMap::new();
        Usage { day: 0, amount: 50, used: 8 }.add_headers(UnixSeconds(86_000), &mut headers);
        assert_eq!(headers["ratelimit-policy"], "\"daily\";q=50;w=86400, \"burst\";q=100;w=10");
        assert_eq!(headers["ratelimit"], "\"daily\";r=42;t=400");
        add_burst_headers(&mut headers);
        assert_eq!(headers["ratelimit-policy"], "\"burst\";q=100;w=10");
        assert_eq!(headers["ratelimit"], "\"burst\";r=0;t=10");
    }

    proptest! {
        #[test]
        fn every_moment_lies_in_its_own_day(now in 0_u64..1 << 40) {
            let now = UnixSeconds(now);
            let usage = Usage { day: day_of(now), amount: 1, used: 0 };
            prop_assert!(now < usage.resets_at());
            prop_assert!(usage.resets_at().seconds_since(now) <= SECONDS_A_DAY);
        }
    }
}
