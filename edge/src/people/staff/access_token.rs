//! The format of a token: `cgt_` and 43 random base62 characters.

use crate::platform::entropy::{Entropy, random_base62};
use std::fmt;

const PREFIX: &str = "cgt_";
/// 62^43 is slightly more than 2^256.
const SECRET_LENGTH: usize = 43;

/// A well-formed token. Only the database knows whether it is valid.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct AccessToken(String);

impl AccessToken {
    pub(crate) fn generate(entropy: &mut impl Entropy) -> Self {
        Self(format!("{PREFIX}{}", random_base62::<SECRET_LENGTH>(entropy)))
    }

    /// Parses a token; returns `None` for any text that `generate` could not have produced.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let secret = text.strip_prefix(PREFIX)?;
        let is_token = secret.len() == SECRET_LENGTH && secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_token.then(|| Self(text.to_owned()))
    }

    /// Returns the token itself, for hashing it or for showing it once.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AccessToken(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::entropy::testing::Seeded;

    #[test]
    fn only_a_generated_token_is_well_formed() {
        let token = AccessToken::generate(&mut Seeded::new(3));
        let text = token.reveal();
        assert_eq!(AccessToken::parse(text), Some(token.clone()));
        for other in [
            "",
            "cgt_",
            &text[1..],
            &format!("{text}x"),
            &text.replace("cgt_", "cgk_"),
            &text.to_owned().replacen(&text[5..6], "-", 1),
        ] {
            assert_eq!(AccessToken::parse(other), None, "{other}");
        }
        assert_eq!(format!("{token:?}"), "AccessToken(redacted)");
    }
}
