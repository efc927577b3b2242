//! Hashes of stored secrets, so that a copy of the stores reveals no API keys or sessions.

use contract::hexadecimal;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The secret with which API keys and tokens are hashed. While it is being replaced, hashes made with a second secret
/// are accepted too.
pub(crate) struct Pepper {
    current: Hmac<Sha256>,
    current_id: Arc<str>,
    second: Option<Hmac<Sha256>>,
}

/// HMAC-SHA256 in lower-case hexadecimal, with each of the peppers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct KeyedHash {
    current: String,
    pepper_id: Arc<str>,
    second: Option<String>,
}

/// The length of a pepper's id: enough to distinguish a few peppers.
const ID_LENGTH: usize = 8;

impl Pepper {
    /// Returns `None` if the secret is shorter than 32 characters.
    pub(crate) fn new(secret: &str) -> Option<Self> {
        let current = keyed(secret)?;
        Some(Self { current_id: id_of(&current), current, second: None })
    }

    /// Accepts hashes made with a second secret too. Returns `None` if it is shorter than 32 characters.
    pub(crate) fn with_second(self, secret: &str) -> Option<Self> {
        Some(Self { second: Some(keyed(secret)?), ..self })
    }

    pub(crate) fn hash(&self, text: &[u8]) -> KeyedHash {
        let second = self.second.as_ref().map(|pepper| digest(pepper, text));
        KeyedHash { current: digest(&self.current, text), pepper_id: Arc::clone(&self.current_id), second }
    }

    /// Returns the id of the second pepper, if there is one.
    pub(crate) fn second_id(&self) -> Option<Arc<str>> {
        self.second.as_ref().map(id_of)
    }
}

fn keyed(secret: &str) -> Option<Hmac<Sha256>> {
    const SHORTEST: usize = 32;
    if secret.len() < SHORTEST {
        return None;
    }
    Hmac::new_from_slice(secret.as_bytes()).ok()
}

fn digest(pepper: &Hmac<Sha256>, text: &[u8]) -> String {
    let mut mac = pepper.clone();
    mac.update(text);
    hexadecimal(&mac.finalize().into_bytes())
}

/// Returns an id that reveals nothing about the pepper. No API key or token equals the hashed text.
fn id_of(pepper: &Hmac<Sha256>) -> Arc<str> {
    digest(pepper, b"the id of this pepper").chars().take(ID_LENGTH).collect::<String>().into()
}

impl fmt::Debug for Pepper {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Pepper(redacted)")
    }
}

impl KeyedHash {
    /// Returns the hash with the current pepper.
    pub(crate) fn as_str(&self) -> &str {
        &self.current
    }

    /// Returns the id of the current pepper.
    pub(crate) fn pepper_id(&self) -> &str {
        &self.pepper_id
    }

    /// Returns the hash with the second pepper, if there is one.
    pub(crate) fn second(&self) -> Option<&str> {
        self.second.as_deref()
    }

    /// Returns the hash with the second pepper, or the current hash if there is none: for conditions on either of two
    /// values.
    pub(crate) fn second_or_same(&self) -> &str {
        self.second().unwrap_or(&self.current)
    }

    /// Whether the text is one of the hashes.
    pub(crate) fn is(&self, text: &str) -> bool {
        secrets_match(text, &self.current) | self.second().is_some_and(|second| secrets_match(text, second))
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
    fn a_hash_with_the_second_pepper_is_accepted_and_distinguished() {
        let [a, b] = ["a", "b"].map(|letter| letter.repeat(32));
        let [alone, other] = [&a, &b].map(|secret| Pepper::new(secret).unwrap());
        let both = Pepper::new(&b).unwrap().with_second(&a).unwrap();
        let (before, after) = (alone.hash(b"key"), both.hash(b"key"));
        assert_eq!((after.as_str(), after.second()), (other.hash(b"key").as_str(), Some(before.as_str())));
        assert_eq!(
            (after.pepper_id(), both.second_id().as_deref()),
            (other.hash(b"").pepper_id(), Some(before.pepper_id()))
        );
        assert_ne!(after.pepper_id(), before.pepper_id());
        assert!(after.is(before.as_str()) && after.is(after.as_str()) && !before.is(after.as_str()));
        assert!(alone.second_id().is_none() && Pepper::new(&b).unwrap().with_second("short").is_none());
    }

    #[test]
    fn secrets_match_only_if_equal() {
        assert!(secrets_match("abc", "abc"));
        assert!(!secrets_match("abc", "abd"));
        assert!(!secrets_match("abc", "abcd"));
        assert!(!secrets_match("", "a"));
    }
}
