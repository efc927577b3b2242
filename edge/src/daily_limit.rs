//! The daily upload limit of a channel: windows of a UTC day, and how clients are told.

use axum::http::{HeaderMap, HeaderValue};
use contract::api::LimitState;

const SECONDS_A_DAY: u64 = 86_400;
/// What the site's pages show when the limit refuses an upload.
const TRANSLATION_KEY: &str = "content_upload_limit_failure";

/// Days since 1970-01-01, 00:00 UTC.
pub fn day_of(now_unix: u64) -> u64 {
    now_unix / SECONDS_A_DAY
}

/// How much of which limit a channel has used on which day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    pub day: u64,
    pub amount: u32,
    pub used: u32,
}

impl Usage {
    pub fn remaining(self) -> u32 {
        self.amount.saturating_sub(self.used)
    }

    pub fn resets_at_unix(self) -> u64 {
        (self.day + 1) * SECONDS_A_DAY
    }

    pub fn state(self) -> LimitState {
        let is_limit_activated = self.remaining() == 0;
        LimitState {
            ui_limit_failure_translation_key: TRANSLATION_KEY.to_owned(),
            is_limit_activated,
            limit_reset_time_unix: is_limit_activated.then(|| self.resets_at_unix()),
            limit_amount: self.amount,
        }
    }

    /// Adds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
    pub fn add_headers(self, now_unix: u64, headers: &mut HeaderMap) {
        let seconds = self.resets_at_unix().saturating_sub(now_unix);
        let policy = format!("\"daily\";q={};w={SECONDS_A_DAY}", self.amount);
        let state = format!("\"daily\";r={};t={seconds}", self.remaining());
        for (name, value) in [("ratelimit-policy", policy), ("ratelimit", state)] {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_day_ends_at_midnight_utc() {
        assert_eq!(day_of(86_399), 0);
        assert_eq!(day_of(86_400), 1);
    }

    #[test]
    fn the_limit_is_active_from_the_last_slot_on() {
        let usage = |used| Usage {
            day: 1,
            amount: 2,
            used,
        };
        assert!(!usage(1).state().is_limit_activated);
        assert_eq!(usage(1).state().limit_reset_time_unix, None);
        assert!(usage(2).state().is_limit_activated);
        assert_eq!(usage(2).state().limit_reset_time_unix, Some(172_800));
    }

    #[test]
    fn a_limit_lowered_below_the_use_leaves_nothing() {
        assert_eq!(
            Usage {
                day: 0,
                amount: 3,
                used: 5
            }
            .remaining(),
            0
        );
    }

    #[test]
    fn the_headers_are_structured_fields() {
        let mut headers = HeaderMap::new();
        Usage {
            day: 0,
            amount: 50,
            used: 8,
        }
        .add_headers(86_000, &mut headers);
        assert_eq!(headers["ratelimit-policy"], "\"daily\";q=50;w=86400");
        assert_eq!(headers["ratelimit"], "\"daily\";r=42;t=400");
    }

    proptest! {
        #[test]
        fn now_lies_in_its_own_window(now in 0_u64..1 << 40) {
            let usage = Usage { day: day_of(now), amount: 1, used: 0 };
            prop_assert!(now < usage.resets_at_unix());
            prop_assert!(usage.resets_at_unix() - now <= SECONDS_A_DAY);
        }
    }
}
