//! The address of a resumable upload: random text that only its client knows.

use crate::people::auth::hash::sha256_hex;
use crate::platform::entropy::{Entropy, random_base62};
use std::fmt;

/// 62^40 is a little more than 2^238, so a location cannot be guessed.
const LENGTH: usize = 40;

/// The secret that ends the address of an upload. The database stores only its hash.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Location(String);

impl Location {
    pub(crate) fn generate(entropy: &mut impl Entropy) -> Self {
        Self(random_base62::<LENGTH>(entropy))
    }

    /// Parses a location; returns `None` for any text that `generate` could not have produced.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_location = text.len() == LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_location.then(|| Self(text.to_owned()))
    }

    /// Returns the text, for the address that only the client gets.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn sha256(&self) -> String {
        sha256_hex(self.0.as_bytes())
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Location(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::entropy::testing::Seeded;

    #[test]
    fn a_location_survives_a_round_trip_and_is_never_printed() {
        let location = Location::generate(&mut Seeded::new(1));
        assert_eq!(Location::parse(location.reveal()), Some(location.clone()));
        assert_eq!(format!("{location:?}"), "Location(redacted)");
    }

    #[test]
    fn other_texts_are_not_locations() {
        let text = Location::generate(&mut Seeded::new(1)).reveal().to_owned();
        for other in ["", "a", &text[1..], &format!("{text}a"), &text.replacen(char::is_alphanumeric, "-", 1)] {
            assert_eq!(Location::parse(other), None, "{other}");
        }
    }
}
