//! The format of an API key: `cgk_`, 40 random base62 characters, and a checksum of 6 characters.
//!
//! This file does not depend on how keys are stored.

use crate::people::auth::checked_secret;
use crate::people::auth::hash::{KeyedHash, Pepper};
use crate::platform::entropy::Entropy;
use std::fmt;

const PREFIX: &str = "cgk_";
const LENGTH: usize = PREFIX.len() + checked_secret::LENGTH;
/// The characters of the random text that a hint shows at each end.
const HINT_CHARACTERS: usize = 4;

/// A well-formed key. Only the database knows whether it is valid.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ApiKey(String);

impl ApiKey {
    pub(crate) fn generate(entropy: &mut impl Entropy) -> Self {
        Self(checked_secret::generate(PREFIX, entropy))
    }

    /// Parses a key; returns `None` for any text that `generate` could not have produced.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        checked_secret::is_well_formed(PREFIX, text).then(|| Self(text.to_owned()))
    }

    /// Returns the full key, which is shown only once.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self, pepper: &Pepper) -> KeyedHash {
        pepper.hash(self.0.as_bytes())
    }

    /// Returns a hint such as `cgk_AbCd…wXyZ`: enough to recognise the key, far too little to use it.
    pub(crate) fn hint(&self) -> String {
        let head = self.0.get(..PREFIX.len() + HINT_CHARACTERS).unwrap_or_default();
        let tail = self.0.get(LENGTH - HINT_CHARACTERS..).unwrap_or_default();
        format!("{head}…{tail}")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::entropy::testing::Seeded;
    use proptest::prelude::*;

    fn key(seed: u64) -> ApiKey {
        ApiKey::generate(&mut Seeded::new(seed))
    }

    proptest! {
        #[test]
        fn a_generated_key_survives_a_round_trip(seed: u64) {
            let key = key(seed);
            prop_assert_eq!(key.reveal().len(), 50);
            prop_assert_eq!(ApiKey::parse(key.reveal()), Some(key));
        }

        #[test]
        fn changing_any_one_character_is_detected(seed: u64, place in 0..LENGTH, other in any::<char>()) {
            let text = key(seed).reveal().to_owned();
            let mut characters: Vec<char> = text.chars().collect();
            prop_assume!(characters[place] != other);
            characters[place] = other;
            prop_assert_eq!(ApiKey::parse(&characters.into_iter().collect::<String>()), None);
        }

        #[test]
        fn arbitrary_text_is_not_a_key(text in ".{0,80}") {
            prop_assert_eq!(ApiKey::parse(&text), None);
        }

        #[test]
        fn a_hint_shows_at_most_eight_characters_of_the_random_text(seed: u64) {
            let key = key(seed);
            let hint = key.hint();
            let shown = hint.strip_prefix(PREFIX).unwrap().chars().filter(|c| *c != '…').count();
            prop_assert!(shown <= 8);
            let (head, tail) = hint.split_once('…').unwrap();
            prop_assert!(key.reveal().starts_with(head) && key.reveal().ends_with(tail));
        }
    }

    #[test]
    fn every_ascii_change_of_one_key_is_detected() {
        let text = key(7).reveal().to_owned();
        for place in 0..LENGTH {
            for other in 0..=127_u8 {
                let mut bytes = text.clone().into_bytes();
                if bytes[place] != other {
                    bytes[place] = other;
                    assert_eq!(ApiKey::parse(std::str::from_utf8(&bytes).unwrap()), None);
                }
            }
        }
    }

    #[test]
    fn a_key_is_never_printed() {
        let key = key(1);
        assert_eq!(format!("{key:?}"), "ApiKey(redacted)");
    }
}
