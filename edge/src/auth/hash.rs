//! Hashes of stored secrets, so that a copy of the stores reveals no API key and no session.

use contract::hexadecimal;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;

/// The secret with which API keys are hashed.
pub(crate) struct Pepper(Hmac<Sha256>);

/// HMAC-SHA256 in lower-case hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct KeyedHash(String);

impl Pepper {
    /// Returns `None` if the secret is shorter than 32 characters.
    pub(crate) fn new(secret: &str) -> Option<Self> {
        const SHORTEST: usize = 32;
        if secret.len() < SHORTEST {
            return None;
        }
        Hmac::new_from_slice(secret.as_bytes()).ok().map(Self)
    }

    pub(crate) fn hash(&self, text: &[u8]) -> KeyedHash {
        let mut mac = self.0.clone();
        mac.update(text);
        KeyedHash(hexadecimal(&mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for Pepper {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Pepper(redacted)")
    }
}

impl KeyedHash {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns the SHA-256 in lower-case hexadecimal, for texts that are random enough to need no keyed hash.
pub(crate) fn sha256_hex(text: &[u8]) -> String {
    hexadecimal(&Sha256::digest(text))
}

/// Whether two secrets are equal. The comparison's duration reveals nothing about them, not even their
/// lengths.
pub(crate) fn secrets_match(left: &str, right: &str) -> bool {
    Sha256::digest(left.as_bytes()).ct_eq(&Sha256::digest(right.as_bytes())).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyed_hash_is_hmac_sha256() {
        // The expected digest was computed with openssl.
        let pepper = Pepper::new("0123456789abcdef0123456789abcdef").unwrap();
        assert_eq!(
            pepper.hash(b"clipgate").as_str(),
            "e89cefe4246b68e6fd34aeafb6afdd354fc7a2ff0113325c5606b5dca9ba44d2"
        );
    }

    #[test]
    fn sha256_matches_the_published_test_vector() {
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_short_pepper_is_rejected_and_a_pepper_is_never_printed() {
        assert!(Pepper::new("short").is_none());
        let pepper = Pepper::new("0123456789abcdef0123456789abcdef").unwrap();
        assert_eq!(format!("{pepper:?}"), "Pepper(redacted)");
    }

    #[test]
    fn secrets_match_only_if_equal() {
        assert!(secrets_match("abc", "abc"));
        assert!(!secrets_match("abc", "abd"));
        assert!(!secrets_match("abc", "abcd"));
        assert!(!secrets_match("", "a"));
    }
}
