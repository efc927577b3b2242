//! The format of the secrets of staff: a prefix, 43 random base62 characters, and a tag. A named token begins with
//! `cgt_`, and the cookie of a session at the desk with `cgd_`.
//!
//! The tag is a keyed hash of the rest, so that a made-up token is recognised without a query.

use crate::people::auth::hash::{Pepper, secrets_match};
use crate::platform::entropy::{Entropy, random_base62};
use std::fmt;

/// 62^43 is slightly more than 2^256.
const SECRET_LENGTH: usize = 43;
/// 64 bits in hexadecimal. With fewer, guessed tags would reach the database.
const TAG_LENGTH: usize = 16;

/// The purpose of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretKind {
    NamedToken,
    DeskSession,
}

impl SecretKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::NamedToken => "cgt_",
            Self::DeskSession => "cgd_",
        }
    }
}

/// A secret that this service has made. Only the database knows whether it is still valid.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct AccessToken(String);

impl AccessToken {
    pub(crate) fn generate(kind: SecretKind, entropy: &mut impl Entropy, pepper: &Pepper) -> Self {
        let secret = random_base62::<SECRET_LENGTH>(entropy);
        let [tag, _] = tags(kind, &secret, pepper);
        Self(format!("{}{secret}{tag}", kind.prefix()))
    }

    /// Parses a secret; returns `None` for any text that `generate` could not have produced with one of the peppers.
    pub(crate) fn parse(kind: SecretKind, text: &str, pepper: &Pepper) -> Option<Self> {
        let (secret, presented) = text.strip_prefix(kind.prefix())?.split_at_checked(SECRET_LENGTH)?;
        let is_secret = secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_made_here = is_secret && tags(kind, secret, pepper).iter().any(|tag| secrets_match(presented, tag));
        is_made_here.then(|| Self(text.to_owned()))
    }

    /// Returns the token itself, for hashing it or for showing it once.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

/// Returns the tags that a secret has with the current pepper and with the second one, if there is one.
fn tags(kind: SecretKind, secret: &str, pepper: &Pepper) -> [String; 2] {
    let hash = pepper.hash(format!("the tag of {}{secret}", kind.prefix()).as_bytes());
    [hash.as_str(), hash.second_or_same()].map(|hash| hash.chars().take(TAG_LENGTH).collect())
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

    fn pepper(letter: &str) -> Pepper {
        Pepper::new(&letter.repeat(32)).unwrap()
    }

    #[test]
    fn only_a_generated_token_is_well_formed() {
        let token = AccessToken::generate(SecretKind::NamedToken, &mut Seeded::new(3), &pepper("a"));
        let text = token.reveal();
        assert_eq!(AccessToken::parse(SecretKind::NamedToken, text, &pepper("a")), Some(token.clone()));
        let other_letter = if text.ends_with('0') { "1" } else { "0" };
        for other in [
            "",
            "cgt_",
            &text[1..],
            &text[..47],
            &format!("{}{other_letter}", &text[..62]),
            &format!("cgt_{}{}", "0".repeat(43), &text[47..]),
            &format!("cgt_{}é{}", "0".repeat(42), &text[47..]),
            &format!("{text}x"),
            &text.replace("cgt_", "cgk_"),
            &text.replace("cgt_", "cgd_"),
            &text.to_owned().replacen(&text[5..6], "-", 1),
        ] {
            assert_eq!(AccessToken::parse(SecretKind::NamedToken, other, &pepper("a")), None, "{other}");
        }
        assert_eq!(AccessToken::parse(SecretKind::DeskSession, text, &pepper("a")), None);
        assert_eq!(format!("{token:?}"), "AccessToken(redacted)");
    }

    #[test]
    fn a_token_belongs_to_the_pepper_that_it_was_made_with() {
        let token = AccessToken::generate(SecretKind::NamedToken, &mut Seeded::new(3), &pepper("a"));
        let during_replacement = pepper("b").with_second(&"a".repeat(32)).unwrap();
        assert!(AccessToken::parse(SecretKind::NamedToken, token.reveal(), &during_replacement).is_some());
        assert!(AccessToken::parse(SecretKind::NamedToken, token.reveal(), &pepper("b")).is_none());
    }
}
