//! The format of an API key: `cgk_`, 40 random base62 characters, and a checksum of 6 characters.
//!
//! Typos and garbage are rejected here without a database query. This file does not depend on how keys are stored.

use crate::auth::hash::{KeyedHash, Pepper};
use crate::ports::entropy::{Entropy, random_base62};
use std::fmt;

const PREFIX: &str = "cgk_";
/// 62^40 is a little more than 2^238, so a key cannot be guessed.
const SECRET_LENGTH: usize = 40;
const CHECKSUM_LENGTH: usize = 6;
const LENGTH: usize = PREFIX.len() + SECRET_LENGTH + CHECKSUM_LENGTH;
/// The characters of the random text that a hint shows at each end.
const HINT_CHARACTERS: usize = 4;

/// A well-formed key. Only the database knows whether it is valid.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ApiKey(String);

impl ApiKey {
    pub(crate) fn generate(entropy: &mut impl Entropy) -> Self {
        let secret = random_base62::<SECRET_LENGTH>(entropy);
        let checksum = checksum(&secret);
        Self(format!("{PREFIX}{secret}{checksum}"))
    }

    /// Parses a key; returns `None` for any text that `generate` could not have produced.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix(PREFIX)?;
        if text.len() != LENGTH || !body.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        let (secret, sum) = body.split_at_checked(SECRET_LENGTH)?;
        (checksum(secret) == sum).then(|| Self(text.to_owned()))
    }

    /// Returns the full key, for the one answer that shows it.
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

/// Returns the CRC32 of the secret in base62, most significant digit first, padded with zeros.
fn checksum(secret: &str) -> String {
    let mut rest = crc32fast::hash(secret.as_bytes());
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = crate::ports::entropy::base62_digit(rest);
        rest /= 62;
    }
    digits.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::entropy::testing::Seeded;
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
    fn a_key_has_only_letters_and_digits_even_if_its_checksum_fits() {
        let secret = key(7).reveal()[PREFIX.len()..][..SECRET_LENGTH].to_owned();
        let with_secret = |secret: &str| ApiKey::parse(&format!("{PREFIX}{secret}{}", checksum(secret)));
        assert!(with_secret(&secret).is_some());
        assert_eq!(with_secret(&secret.replacen(char::is_alphanumeric, "-", 1)), None);
    }

    #[test]
    fn a_key_is_never_printed() {
        let key = key(1);
        assert_eq!(format!("{key:?}"), "ApiKey(redacted)");
    }
}
