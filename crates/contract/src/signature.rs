//! The signatures that prove an origin's identity. Each request carries an HMAC-SHA256 of its method, host, path,
//! query, id, time and body hash, and the key's id.
//!
//! The hash is sent in a header, so the signature is verified before a byte of the body is read. The body is compared
//! with its hash later.
//!
//! Every origin has its own key, and a second one while the first is being replaced. Replaying a request has no effect,
//! because the edge checks the generation and the state of the job.

use crate::hexadecimal::{hexadecimal, parse_hexadecimal};
use crate::limits::MAX_SAFE_INTEGER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt;

/// The id of the origin key that made the signature.
pub const KEY_ID_HEADER: &str = "x-clipgate-key-id";
pub const ID_HEADER: &str = "x-clipgate-id";
pub const TIMESTAMP_HEADER: &str = "x-clipgate-timestamp";
/// The SHA-256 of the body in lower-case hexadecimal.
pub const CONTENT_SHA256_HEADER: &str = "x-clipgate-content-sha256";
pub const SIGNATURE_HEADER: &str = "x-clipgate-signature";

/// The largest accepted difference between the clocks of an origin and the edge.
pub const MAX_SKEW_SECONDS: u64 = 300;

/// The prefix of a key's text, by which scanners for secrets recognise it.
const KEY_PREFIX: &str = "cgo_";

/// The key with which one origin signs. The edge derives its secret again from the id.
#[derive(Clone)]
pub struct OriginKey {
    id: u64,
    secret: KeySecret,
}

type KeySecret = [u8; 32];

/// The SHA-256 of a request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyHash([u8; 32]);

/// The signed parts of a request.
#[derive(Clone, Copy, Debug)]
pub struct SignedRequest<'a> {
    pub method: &'a str,
    /// The host of the request's URL in lower case, with its port unless it is the scheme's own.
    pub host: &'a str,
    /// The path with the query, exactly as sent.
    pub target: &'a str,
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
        parse_hexadecimal(text).map(Self)
    }
}

impl fmt::Display for BodyHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hexadecimal(&self.0))
    }
}

impl OriginKey {
    pub fn new(id: u64, secret: KeySecret) -> Self {
        Self { id, secret }
    }

    /// Parses the text of a key; returns `None` for any text that `reveal` could not have returned.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix(KEY_PREFIX)?.split_once('_')?;
        Some(Self { id: parse_key_id(id)?, secret: parse_hexadecimal(secret)? })
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the text that the origin is configured with.
    pub fn reveal(&self) -> String {
        format!("{KEY_PREFIX}{}_{}", self.id, hexadecimal(&self.secret))
    }

    /// Returns the value of the signature header.
    pub fn sign(&self, request: &SignedRequest<'_>) -> String {
        let mac = self.mac(request).map(|mac| mac.finalize().into_bytes());
        format!("v1={}", mac.map(|mac| hexadecimal(&mac)).unwrap_or_default())
    }

    /// Computes the HMAC of the request: a line for each of its parts, then the hash of its body. No part contains a
    /// line feed, so the input differs whenever the requests do. HMAC accepts keys of any length, so this is never
    /// `None`.
    fn mac(&self, request: &SignedRequest<'_>) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).ok()?;
        let (key_id, timestamp) = (self.id.to_string(), request.timestamp_unix.to_string());
        for line in ["v1", &key_id, request.method, request.host, request.target, request.id, &timestamp] {
            mac.update(line.as_bytes());
            mac.update(b"\n");
        }
        mac.update(&request.body_hash.0);
        Some(mac)
    }
}

/// Parses the id of a key, which has one valid form.
pub fn parse_key_id(text: &str) -> Option<u64> {
    let id = text.parse().ok().filter(|id| (1..=MAX_SAFE_INTEGER).contains(id))?;
    (id.to_string() == text).then_some(id)
}

impl SignedRequest<'_> {
    /// Returns the headers that carry the signature and everything that it needs besides method and URL.
    pub fn headers(&self, key: &OriginKey) -> [(&'static str, String); 5] {
        [
            (KEY_ID_HEADER, key.id.to_string()),
            (ID_HEADER, self.id.to_owned()),
            (TIMESTAMP_HEADER, self.timestamp_unix.to_string()),
            (CONTENT_SHA256_HEADER, self.body_hash.to_string()),
            (SIGNATURE_HEADER, key.sign(self)),
        ]
    }

    /// Whether one of the keys made the signature, at most `MAX_SKEW_SECONDS` from now. Takes constant time for wrong
    /// signatures.
    pub fn verify(&self, signature: &str, keys: &[OriginKey], now_unix: u64) -> bool {
        let Some(claimed) = signature.strip_prefix("v1=").and_then(parse_hexadecimal::<32>) else {
            return false;
        };
        let is_timely = self.timestamp_unix.abs_diff(now_unix) <= MAX_SKEW_SECONDS;
        let matches = |mac: Hmac<Sha256>| mac.verify_slice(&claimed).is_ok();
        let matching = keys.iter().filter(|key| key.mac(self).is_some_and(matches));
        matching.count() > 0 && is_timely
    }
}

impl fmt::Debug for OriginKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OriginKey(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn key(letter: u8) -> OriginKey {
        OriginKey::new(7, [letter; 32])
    }

    fn request() -> SignedRequest<'static> {
        SignedRequest {
            method: "POST",
            host: "www.example:8443",
            target: "/internal/jobs/report",
            id: "0199",
            timestamp_unix: NOW,
            body_hash: BodyHash::of(b"{}"),
        }
    }

    #[test]
    fn each_valid_key_signs() {
        for letter in [1, 2] {
            let signature = key(letter).sign(&request());
            assert!(request().verify(&signature, &[key(1), key(2)], NOW));
            assert!(!request().verify(&signature, &[key(3)], NOW));
            assert!(!request().verify(&signature, &[OriginKey::new(8, [letter; 32])], NOW));
            assert!(!request().verify(&signature, &[], NOW));
        }
    }

    #[test]
    fn changing_any_signed_part_breaks_the_signature() {
        let signature = key(1).sign(&request());
        let forgeries = [
            SignedRequest { method: "PUT", ..request() },
            SignedRequest { host: "staging.example:8443", ..request() },
            SignedRequest { target: "/internal/jobs/claim", ..request() },
            SignedRequest { target: "/internal/jobs/report?dry_run=1", ..request() },
            SignedRequest { id: "0198", ..request() },
            SignedRequest { timestamp_unix: NOW + 1, ..request() },
            SignedRequest { body_hash: BodyHash::of(b"{ }"), ..request() },
        ];
        for forgery in forgeries {
            assert!(!forgery.verify(&signature, &[key(1)], NOW), "{forgery:?}");
        }
    }

    #[test]
    fn clocks_may_differ_by_300_seconds_but_not_by_301() {
        let signature = key(1).sign(&request());
        for (now, is_timely) in [(NOW + 300, true), (NOW - 300, true), (NOW + 301, false), (NOW - 301, false)] {
            let answer = request().verify(&signature, &[key(1)], now);
            assert_eq!(answer, is_timely, "{now}");
        }
    }

    #[test]
    fn a_malformed_signature_is_rejected() {
        let valid = key(1).sign(&request());
        let truncated = valid.len() - 2;
        for text in ["", "v1=", &valid[..truncated], &valid[3..], &valid.to_uppercase(), "v1=zz", "v1=0"] {
            assert!(!request().verify(text, &[key(1)], NOW), "{text}");
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
        let headers = request().headers(&key(1));
        let value = |name| headers.iter().find(|header| header.0 == name).map(|header| header.1.as_str()).unwrap();
        let received = SignedRequest {
            id: value(ID_HEADER),
            timestamp_unix: value(TIMESTAMP_HEADER).parse().unwrap(),
            body_hash: BodyHash::parse(value(CONTENT_SHA256_HEADER)).unwrap(),
            ..request()
        };
        assert!(received.verify(value(SIGNATURE_HEADER), &[key(1)], NOW));
    }

    #[test]
    fn a_key_has_one_valid_text_and_is_never_printed() {
        let text = key(0xab).reveal();
        assert_eq!(text, format!("cgo_7_{}", "ab".repeat(32)));
        assert_eq!(OriginKey::parse(&text).map(|key| (key.id(), key.secret)), Some((7, [0xab; 32])));
        let secret = "ab".repeat(32);
        for other in [
            text.to_uppercase(),
            text[4..].to_owned(),
            format!("{text}ab"),
            format!("cgo_07_{secret}"),
            format!("cgo_0_{secret}"),
            format!("cgo_+7_{secret}"),
            format!("cgo_9007199254740992_{secret}"),
            String::new(),
        ] {
            assert!(OriginKey::parse(&other).is_none(), "{other}");
        }
        assert_eq!(format!("{:?}", key(1)), "OriginKey(redacted)");
    }
}
