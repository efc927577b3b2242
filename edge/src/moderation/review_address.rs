//! Short-lived addresses of videos for moderators.
//!
//! A video element cannot send a token, so the address itself is the credential: it contains a keyed hash of the
//! content and the expiry, which cannot be guessed. It is below `/internal`, whose responses no cache keeps.

use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::hash::{KeyedHash, Pepper};
use contract::paths;
use serde::Deserialize;

/// Long enough to watch the longest video several times.
pub(crate) const REVIEW_SECONDS: u64 = 15 * 60;

/// The parameters of an address.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct ReviewAddress {
    pub content: String,
    /// The time at which the address expires.
    pub until: u64,
    pub signature: String,
}

/// Makes the addresses of one response, which all expire at the same time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReviewAddresses<'a> {
    pub base: &'a str,
    pub pepper: &'a Pepper,
    pub until: UnixSeconds,
}

impl ReviewAddresses<'_> {
    pub(crate) fn video_of(&self, content_uuid: &str) -> String {
        let Self { base, pepper, until } = self;
        let signature = sign(pepper, content_uuid, until.0);
        let path = paths::MODERATION_VIDEO;
        format!("{base}{path}?content={content_uuid}&until={until}&signature={}", signature.as_str())
    }
}

impl ReviewAddress {
    /// Whether the service made this address and it is still valid.
    pub(crate) fn is_valid(&self, pepper: &Pepper, now: UnixSeconds) -> bool {
        sign(pepper, &self.content, self.until).is(&self.signature) && now.0 < self.until
    }
}

fn sign(pepper: &Pepper, content_uuid: &str, until: u64) -> KeyedHash {
    // API keys and tokens contain no spaces, so no keyed hash of one equals a signature.
    pepper.hash(format!("review {content_uuid} {until}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNTIL: u64 = 1_800_000_000;

    fn pepper(letter: &str) -> Pepper {
        Pepper::new(&letter.repeat(32)).unwrap()
    }

    fn address() -> ReviewAddress {
        ReviewAddress {
            content: "c".to_owned(),
            until: UNTIL,
            signature: sign(&pepper("a"), "c", UNTIL).as_str().to_owned(),
        }
    }

    #[test]
    fn an_address_is_valid_until_its_end_and_only_as_it_was_made() {
        let before = UnixSeconds(UNTIL - 1);
        assert!(address().is_valid(&pepper("a"), before));
        assert!(!address().is_valid(&pepper("a"), UnixSeconds(UNTIL)));
        assert!(!address().is_valid(&pepper("b"), before));
        for forged in [
            ReviewAddress { content: "d".to_owned(), ..address() },
            ReviewAddress { until: UNTIL + 1, ..address() },
            ReviewAddress { signature: String::new(), ..address() },
        ] {
            assert!(!forged.is_valid(&pepper("a"), before), "{forged:?}");
        }
    }

    #[test]
    fn an_address_contains_its_own_parameters() {
        let pepper = pepper("a");
        let addresses = ReviewAddresses { base: "https://www.example", pepper: &pepper, until: UnixSeconds(UNTIL) };
        let ReviewAddress { content, until, signature } = address();
        let expected = format!(
            "https://www.example/internal/moderation/video?content={content}&until={until}&signature={signature}"
        );
        assert_eq!(addresses.video_of("c"), expected);
    }
}
