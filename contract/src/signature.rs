//! The signatures that prove an origin's identity. Each request carries an HMAC-SHA256 of its method, path, id, time
//! and body hash.
//!
//! The hash is sent in a header, so the signature is verified before a byte of the body is read. The body is compared
//! with its hash afterwards.
//!
//! Two secrets may be valid at once, so that one can be replaced without rejecting a request. A replayed request is
//! harmless: the checks of generation and state keep it from having an effect.

use crate::hexadecimal;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt;

pub const ID_HEADER: &str = "x-clipgate-id";
pub const TIMESTAMP_HEADER: &str = "x-clipgate-timestamp";
/// The SHA-256 of the body in lower-case hexadecimal.
pub const CONTENT_SHA256_HEADER: &str = "x-clipgate-content-sha256";
pub const SIGNATURE_HEADER: &str = "x-clipgate-signature";

/// The largest accepted difference between the clocks of an origin and the edge.
pub const MAX_SKEW_SECONDS: u64 = 300;

/// The secret that the edge and the origins share.
#[derive(Clone)]
pub struct OriginSecret(Hmac<Sha256>);

/// The SHA-256 of a request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyHash([u8; 32]);

/// The signed parts of a request.
#[derive(Clone, Copy, Debug)]
pub struct SignedRequest<'a> {
    pub method: &'a str,
    pub path: &'a str,
    /// An id for the logs of both sides.
    pub id: &'a str,
    pub timestamp_unix: u64,
    pub body_hash: BodyHash,
}

impl BodyHash {
    pub fn of(body: &[u8]) -> Self {
        Self(Sha256::digest(body).into())
    }

    /// Parses the value of [`CONTENT_SHA256_HEADER`]. Returns `None` unless it is a hash in lower-case hexadecimal.
    pub fn parse(text: &str) -> Option<Self> {
        bytes(text)?.try_into().ok().map(Self)
    }
}

impl fmt::Display for BodyHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hexadecimal(&self.0))
    }
}

impl OriginSecret {
    /// Returns `None` if the secret is shorter than 32 bytes.
    pub fn new(secret: &str) -> Option<Self> {
        const SHORTEST: usize = 32;
        if secret.len() < SHORTEST {
            return None;
        }
        Hmac::new_from_slice(secret.as_bytes()).ok().map(Self)
    }

    /// Returns the value of the signature header.
    pub fn sign(&self, request: &SignedRequest<'_>) -> String {
        let mac = self.mac(request).finalize().into_bytes();
        format!("v1={}", hexadecimal(&mac))
    }

    /// Computes the HMAC of the request: a line for each of its parts, then the hash of its body. No part contains a
    /// line feed, so the input differs whenever the requests do.
    fn mac(&self, request: &SignedRequest<'_>) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        let timestamp = request.timestamp_unix.to_string();
        for line in ["v1", request.method, request.path, request.id, &timestamp] {
            mac.update(line.as_bytes());
            mac.update(b"\n");
        }
        mac.update(&request.body_hash.0);
        mac
    }
}

impl SignedRequest<'_> {
    /// Returns the headers that carry the signature and everything that it needs besides method and path.
    pub fn headers(&self, secret: &OriginSecret) -> [(&'static str, String); 4] {
        [
            (ID_HEADER, self.id.to_owned()),
            (TIMESTAMP_HEADER, self.timestamp_unix.to_string()),
            (CONTENT_SHA256_HEADER, self.body_hash.to_string()),
            (SIGNATURE_HEADER, secret.sign(self)),
        ]
    }

    /// Whether one of the secrets made the signature, and its timestamp is at most `MAX_SKEW_SECONDS` from now. Takes
    /// the same time for every wrong signature.
    pub fn verify(&self, signature: &str, secrets: &[OriginSecret], now_unix: u64) -> bool {
        let Some(claimed) = signature.strip_prefix("v1=").and_then(bytes) else {
            return false;
        };
        let is_timely = self.timestamp_unix.abs_diff(now_unix) <= MAX_SKEW_SECONDS;
        let matching = secrets.iter().filter(|secret| {
            let mac = secret.mac(self);
            mac.verify_slice(&claimed).is_ok()
        });
        matching.count() > 0 && is_timely
    }
}

/// Decodes lower-case hexadecimal.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let byte = |[high, low]: &[u8; 2]| Some(digit(high)? << 4 | digit(low)?);
    pairs.iter().map(byte).collect()
}

impl fmt::Debug for OriginSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OriginSecret(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn secret(letter: char) -> OriginSecret {
        OriginSecret::new(&letter.to_string().repeat(32)).unwrap()
    }

    fn request() -> SignedRequest<'static> {
        SignedRequest {
            method: "POST",
            path: "/internal/jobs/report",
            id: "0199",
            timestamp_unix: NOW,
            body_hash: BodyHash::of(b"{}"),
        }
    }

    #[test]
    fn each_valid_secret_signs() {
        for letter in ['a', 'b'] {
            let signature = secret(letter).sign(&request());
            assert!(request().verify(&signature, &[secret('a'), secret('b')], NOW));
            assert!(!request().verify(&signature, &[secret('c')], NOW));
            assert!(!request().verify(&signature, &[], NOW));
        }
    }

    #[test]
    fn changing_any_signed_part_breaks_the_signature() {
        let signature = secret('a').sign(&request());
        let forgeries = [
            SignedRequest { method: "PUT", ..request() },
            SignedRequest { path: "/internal/jobs/claim", ..request() },
            SignedRequest { id: "0198", ..request() },
            SignedRequest { timestamp_unix: NOW + 1, ..request() },
            SignedRequest { body_hash: BodyHash::of(b"{ }"), ..request() },
        ];
        for forgery in forgeries {
            assert!(!forgery.verify(&signature, &[secret('a')], NOW), "{forgery:?}");
        }
    }

    #[test]
    fn clocks_may_differ_by_300_seconds_but_not_by_301() {
        let signature = secret('a').sign(&request());
        for (now, is_timely) in [(NOW + 300, true), (NOW - 300, true), (NOW + 301, false), (NOW - 301, false)] {
            let answer = request().verify(&signature, &[secret('a')], now);
            assert_eq!(answer, is_timely, "{now}");
        }
    }

    #[test]
    fn a_malformed_signature_is_rejected() {
        let valid = secret('a').sign(&request());
        let truncated = valid.len() - 2;
        for text in ["", "v1=", &valid[..truncated], &valid[3..], &valid.to_uppercase(), "v1=zz", "v1=0"] {
            assert!(!request().verify(text, &[secret('a')], NOW), "{text}");
        }
    }

    #[test]
    fn a_hash_has_one_valid_form() {
        let hash = BodyHash::of(b"{}");
        let text = hash.to_string();
        assert_eq!(text, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
        assert_eq!(BodyHash::parse(&text), Some(hash));
        for other in [text.to_uppercase(), text[2..].to_owned(), format!("{text}00"), format!(" {text}"), String::new()]
        {
            assert_eq!(BodyHash::parse(&other), None, "{other}");
        }
    }

    #[test]
    fn the_headers_contain_what_a_receiver_needs_to_verify_the_signature() {
        let headers = request().headers(&secret('a'));
        let value = |name| headers.iter().find(|header| header.0 == name).map(|header| header.1.as_str()).unwrap();
        let received = SignedRequest {
            id: value(ID_HEADER),
            timestamp_unix: value(TIMESTAMP_HEADER).parse().unwrap(),
            body_hash: BodyHash::parse(value(CONTENT_SHA256_HEADER)).unwrap(),
            ..request()
        };
        assert!(received.verify(value(SIGNATURE_HEADER), &[secret('a')], NOW));
    }

    #[test]
    fn a_short_secret_is_rejected_and_a_secret_is_never_printed() {
        assert!(OriginSecret::new("short").is_none());
        assert_eq!(format!("{:?}", secret('a')), "OriginSecret(redacted)");
    }
}
