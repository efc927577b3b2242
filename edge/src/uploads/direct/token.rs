//! The format of a one-time token: `cgd_` and a secret with its checksum, like an API key.

use crate::people::auth::checked_secret;
use crate::people::auth::hash::sha256_hex;
use crate::platform::entropy::Entropy;
use std::fmt;

const PREFIX: &str = "cgd_";

/// A well-formed token. Only the database knows whether it is valid.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct DirectToken(String);

/// The SHA-256 of a token. Its secret is long and random, so it needs no pepper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenHash(String);

impl DirectToken {
    pub(crate) fn generate(entropy: &mut impl Entropy) -> Self {
        Self(checked_secret::generate(PREFIX, entropy))
    }

    /// Parses a token; returns `None` for any text that `generate` could not have produced.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        checked_secret::is_well_formed(PREFIX, text).then(|| Self(text.to_owned()))
    }

    /// Returns the token itself, which is shown only once.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> TokenHash {
        TokenHash(sha256_hex(self.0.as_bytes()))
    }
}

impl TokenHash {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for DirectToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("DirectToken(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::keys::api_key::ApiKey;
    use crate::platform::entropy::testing::Seeded;

    #[test]
    fn a_token_survives_a_round_trip_and_is_never_printed() {
        let token = DirectToken::generate(&mut Seeded::new(1));
        assert_eq!(DirectToken::parse(token.reveal()), Some(token.clone()));
        assert_eq!((token.reveal().len(), format!("{token:?}")), (50, "DirectToken(redacted)".to_owned()));
    }

    #[test]
    fn a_key_is_not_a_token_and_a_token_is_not_a_key() {
        let (token, key) = (DirectToken::generate(&mut Seeded::new(1)), ApiKey::generate(&mut Seeded::new(1)));
        assert_eq!(DirectToken::parse(key.reveal()), None);
        assert_eq!(ApiKey::parse(token.reveal()), None);
    }
}
