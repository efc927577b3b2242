//! Signed-in sessions: an opaque random token in a cookie, its hash in a store that forgets by itself.
//!
//! The site signs people in; this only knows who is asking.

use crate::entropy::{Entropy, random_base62};
use crate::hash::sha256_hex;
use serde::{Deserialize, Serialize};
use std::fmt;

const COOKIE: &str = "__Host-session";
/// 62^43 is a little more than 2^256.
const TOKEN_LENGTH: usize = 43;

/// The store refuses shorter lives than a minute; longer than a month nobody stays signed in.
pub const TTL_SECONDS: std::ops::RangeInclusive<u32> = 60..=30 * 86_400;
pub const DEFAULT_TTL_SECONDS: u32 = 86_400;

#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken(String);

/// What the store keeps of a session, under the hash of its token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub account_id: u64,
    pub channel_id: u64,
    pub expires_at_unix: u64,
}

impl SessionToken {
    pub fn generate(entropy: &mut impl Entropy) -> Self {
        Self(random_base62::<TOKEN_LENGTH>(entropy))
    }

    /// The token of a `Cookie` header, if it holds a well-formed one.
    pub fn from_cookies(header: &str) -> Option<Self> {
        let pairs = header
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='));
        let (_, value) = pairs.into_iter().find(|(name, _)| *name == COOKIE)?;
        let well_formed =
            value.len() == TOKEN_LENGTH && value.bytes().all(|b| b.is_ascii_alphanumeric());
        well_formed.then(|| Self(value.to_owned()))
    }

    /// `name=value`, for the site's back end to hand to the browser.
    pub fn cookie(&self) -> String {
        format!("{COOKIE}={}", self.0)
    }

    /// Where the store keeps it. The token itself is random enough for a plain hash.
    pub fn store_key(&self) -> String {
        format!("session:{}", sha256_hex(self.0.as_bytes()))
    }
}

impl Session {
    /// Stores may keep a record past its time.
    pub fn is_alive(&self, now_unix: u64) -> bool {
        now_unix < self.expires_at_unix
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SessionToken(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::testing::Seeded;
    use proptest::prelude::*;

    fn token() -> SessionToken {
        SessionToken::generate(&mut Seeded::new(3))
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let header = format!("theme=dark; {}; lang=de", token().cookie());
        assert_eq!(SessionToken::from_cookies(&header), Some(token()));
    }

    #[test]
    fn a_cookie_of_another_name_or_shape_is_no_session() {
        let value = token().0;
        for header in [
            String::new(),
            format!("session={value}"),
            format!("__Host-session2={value}"),
            format!("__Host-session={value}x"),
            format!("__Host-session=\"{value}\""),
            "__Host-session=".to_owned(),
        ] {
            assert_eq!(SessionToken::from_cookies(&header), None, "{header}");
        }
    }

    #[test]
    fn neither_the_store_nor_a_log_sees_the_token() {
        let token = token();
        assert!(!token.store_key().contains(&token.0));
        assert_eq!(format!("{token:?}"), "SessionToken(redacted)");
    }

    #[test]
    fn a_session_ends_at_its_second() {
        let session = Session {
            account_id: 1,
            channel_id: 1,
            expires_at_unix: 100,
        };
        assert!(session.is_alive(99));
        assert!(!session.is_alive(100));
    }

    proptest! {
        #[test]
        fn any_header_is_read_without_a_panic(header in ".{0,200}") {
            let _ = SessionToken::from_cookies(&header);
        }
    }
}
