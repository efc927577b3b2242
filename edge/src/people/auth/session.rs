//! Sessions of signed-in users: an opaque random token in a cookie, and its hash in a store whose entries expire.
//!
//! The site signs users in. This module only identifies them.

use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::hash::sha256_hex;
use crate::platform::entropy::{Entropy, random_base62};
use serde::{Deserialize, Serialize};
use std::fmt;

const COOKIE: &str = "__Host-session";
/// 62^43 is slightly more than 2^256.
const TOKEN_LENGTH: usize = 43;

/// The store rejects lifetimes below a minute, and no user stays signed in for more than a month.
pub(crate) const TTL_SECONDS: std::ops::RangeInclusive<u32> = 60..=30 * 86_400;
pub(crate) const DEFAULT_TTL_SECONDS: u32 = 86_400;

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SessionToken(String);

/// Whether a `Cookie` header has a session's cookie, well-formed or not.
pub(crate) fn is_in_cookies(header: &[u8]) -> bool {
    value_in_cookies(header).is_some()
}

/// Returns the value of the session's cookie in a `Cookie` header. The header is read as bytes, because other cookies
/// may contain any bytes.
fn value_in_cookies(header: &[u8]) -> Option<&[u8]> {
    let mut pairs = header.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    pairs.find_map(|pair| pair.strip_prefix(COOKIE.as_bytes())?.strip_prefix(b"="))
}

/// A session as it is stored under the hash of its token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Session {
    pub account_id: u64,
    pub channel_id: ChannelId,
    #[serde(rename = "expires_at_unix")]
    pub expires_at: UnixSeconds,
}

impl SessionToken {
    pub(crate) fn generate(entropy: &mut impl Entropy) -> Self {
        Self(random_base62::<TOKEN_LENGTH>(entropy))
    }

    /// Returns the token in a `Cookie` header, if there is a well-formed one.
    pub(crate) fn from_cookies(header: &[u8]) -> Option<Self> {
        let value = std::str::from_utf8(value_in_cookies(header)?).ok()?;
        let well_formed = value.len() == TOKEN_LENGTH && value.bytes().all(|b| b.is_ascii_alphanumeric());
        well_formed.then(|| Self(value.to_owned()))
    }

    /// Returns `name=value`, which the site's back end gives to the browser.
    pub(crate) fn cookie(&self) -> String {
        format!("{COOKIE}={}", self.0)
    }

    /// Returns the key of the session in the store. The token is random enough for a plain hash.
    pub(crate) fn store_key(&self) -> String {
        format!("session:{}", sha256_hex(self.0.as_bytes()))
    }
}

impl Session {
    /// Whether the session is still valid. The store may return an expired one.
    pub(crate) fn is_valid(&self, now: UnixSeconds) -> bool {
        now < self.expires_at
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
    use crate::platform::entropy::testing::Seeded;
    use proptest::prelude::*;

    fn token() -> SessionToken {
        SessionToken::generate(&mut Seeded::new(3))
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let cookie = token().cookie();
        let latin_1 = [b"name=Jos\xe9; ", cookie.as_bytes()].concat();
        for header in [format!("theme=dark; {cookie}; lang=de"), format!("name=Jos\u{e9};{cookie} ; ")] {
            assert_eq!(SessionToken::from_cookies(header.as_bytes()), Some(token()), "{header}");
        }
        assert_eq!(SessionToken::from_cookies(&latin_1), Some(token()));
    }

    #[test]
    fn a_cookie_with_another_name_or_shape_is_ignored() {
        let value = token().0;
        for header in [
            String::new(),
            format!("session={value}"),
            format!("__Host-session2={value}"),
            format!("__Host-session={value}x"),
            format!("__Host-session=\"{value}\""),
            "__Host-session=".to_owned(),
        ] {
            assert_eq!(SessionToken::from_cookies(header.as_bytes()), None, "{header}");
        }
    }

    #[test]
    fn the_token_reaches_neither_the_store_nor_the_logs() {
        let token = token();
        assert!(!token.store_key().contains(&token.0));
        assert_eq!(format!("{token:?}"), "SessionToken(redacted)");
    }

    #[test]
    fn a_session_lasts_from_a_minute_to_30_days() {
        assert_eq!((TTL_SECONDS.start() / 60, TTL_SECONDS.end() / (24 * 60 * 60)), (1, 30));
    }

    #[test]
    fn a_session_expires_at_its_exact_second() {
        let session = Session { account_id: 1, channel_id: ChannelId(1), expires_at: UnixSeconds(100) };
        assert!(session.is_valid(UnixSeconds(99)));
        assert!(!session.is_valid(UnixSeconds(100)));
    }

    proptest! {
        #[test]
        fn no_header_causes_a_panic(header in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = SessionToken::from_cookies(&header);
        }
    }
}
