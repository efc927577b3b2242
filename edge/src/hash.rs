//! Hashes at rest: a copy of the stores must give nobody a key or a session.

use contract::hexadecimal;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;

/// The secret that keys the hashes of API keys.
pub struct Pepper(Hmac<Sha256>);

/// HMAC-SHA256 in lower-case hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedHash(String);

impl Pepper {
    /// `None` for a secret that is too short to be one.
    pub fn new(secret: &str) -> Option<Self> {
        const SHORTEST: usize = 32;
        if secret.len() < SHORTEST {
            return None;
        }
        Hmac::new_from_slice(secret.as_bytes()).ok().map(Self)
    }

    pub fn hash(&self, text: &[u8]) -> KeyedHash {
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
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// SHA-256 in lower-case hexadecimal, for texts that are random enough to need no key.
pub fn sha256_hex(text: &[u8]) -> String {
    hexadecimal(&Sha256::digest(text))
}

/// Whether two secrets are equal, in a time that tells nothing about either, their lengths included.
pub fn secrets_match(left: &str, right: &str) -> bool {
    Sha256::digest(left.as_bytes())
        .ct_eq(&Sha256::digest(right.as_bytes()))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyed_hash_is_hmac_sha256() {
        // The digest was made with openssl.
        let pepper = Pepper::new("0123456789abcdef0123456789abcdef").unwrap();
        assert_eq!(
            pepper.hash(b"clipgate").as_str(),
            "e89cefe4246b68e6fd34aeafb6afdd354fc7a2ff0113325c5606b5dca9ba44d2"
        );
    }

    #[test]
    fn sha256_is_the_known_one() {
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_short_pepper_is_refused_and_none_is_printed() {
        assert!(Pepper::new("short").is_none());
        let pepper = Pepper::new("0123456789abcdef0123456789abcdef").unwrap();
        assert_eq!(format!("{pepper:?}"), "Pepper(redacted)");
    }

    #[test]
    fn secrets_match_only_when_equal() {
        assert!(secrets_match("abc", "abc"));
        assert!(!secrets_match("abc", "abd"));
        assert!(!secrets_match("abc", "abcd"));
        assert!(!secrets_match("", "a"));
    }
}
