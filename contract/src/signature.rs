//! How an origin proves who it is: an HMAC-SHA256 over everything that a request says.
//!
//! Two secrets may be alive at once, so that one can be replaced without losing a request. A request that is sent
//! twice is harmless: what it says is fenced by generation and state.

use crate::hexadecimal;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt;

pub const ID_HEADER: &str = "x-clipgate-id";
pub const TIMESTAMP_HEADER: &str = "x-clipgate-timestamp";
pub const SIGNATURE_HEADER: &str = "x-clipgate-signature";

/// How far the two clocks may be apart.
pub const MAX_SKEW_SECONDS: u64 = 300;

/// What the edge and the origins share.
#[derive(Clone)]
pub struct OriginSecret(Hmac<Sha256>);

/// What is signed.
#[derive(Clone, Copy, Debug)]
pub struct SignedRequest<'a> {
    pub method: &'a str,
    pub path: &'a str,
    /// The request's own id, for the logs of both sides.
    pub id: &'a str,
    pub timestamp_unix: u64,
    pub body: &'a [u8],
}

impl OriginSecret {
    /// `None` for a secret that is too short to be one.
    pub fn new(secret: &str) -> Option<Self> {
        const SHORTEST: usize = 32;
        if secret.len() < SHORTEST {
            return None;
        }
        Hmac::new_from_slice(secret.as_bytes()).ok().map(Self)
    }

    /// The value of the signature header.
    pub fn sign(&self, request: &SignedRequest<'_>) -> String {
        let mac = self.mac(request).finalize().into_bytes();
        format!("v1={}", hexadecimal(&mac))
    }

    /// A line each: only the body can hold a line feed, and it comes as its hash, so no two requests read the same.
    fn mac(&self, request: &SignedRequest<'_>) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        let timestamp = request.timestamp_unix.to_string();
        for line in ["v1", request.method, request.path, request.id, &timestamp] {
            mac.update(line.as_bytes());
            mac.update(b"\n");
        }
        mac.update(&Sha256::digest(request.body));
        mac
    }
}

impl SignedRequest<'_> {
    /// Whether one of the secrets made the signature, and at about this time. Takes equally long for every wrong one.
    pub fn is_signed(&self, signature: &str, secrets: &[OriginSecret], now_unix: u64) -> bool {
        let Some(claimed) = signature.strip_prefix("v1=").and_then(bytes) else {
            return false;
        };
        let is_timely = self.timestamp_unix.abs_diff(now_unix) <= MAX_SKEW_SECONDS;
        let makers = secrets.iter().filter(|secret| {
            let mac = secret.mac(self);
            mac.verify_slice(&claimed).is_ok()
        });
        makers.count() > 0 && is_timely
    }
}

/// The bytes of lower-case hexadecimal.
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
            body: b"{}",
        }
    }

    #[test]
    fn either_living_secret_signs() {
        for letter in ['a', 'b'] {
            let signature = secret(letter).sign(&request());
            assert!(request().is_signed(&signature, &[secret('a'), secret('b')], NOW));
            assert!(!request().is_signed(&signature, &[secret('c')], NOW));
            assert!(!request().is_signed(&signature, &[], NOW));
        }
    }

    #[test]
    fn whatever_is_changed_breaks_the_signature() {
        let signature = secret('a').sign(&request());
        let forgeries = [
            SignedRequest {
                method: "PUT",
                ..request()
            },
            SignedRequest {
                path: "/internal/jobs/claim",
                ..request()
            },
            SignedRequest {
                id: "0198",
                ..request()
            },
            SignedRequest {
                timestamp_unix: NOW + 1,
                ..request()
            },
            SignedRequest {
                body: b"{ }",
                ..request()
            },
        ];
        for forgery in forgeries {
            assert!(
                !forgery.is_signed(&signature, &[secret('a')], NOW),
                "{forgery:?}"
            );
        }
    }

    #[test]
    fn a_clock_may_be_300_seconds_off_and_not_301() {
        let signature = secret('a').sign(&request());
        for (now, is_timely) in [
            (NOW + 300, true),
            (NOW - 300, true),
            (NOW + 301, false),
            (NOW - 301, false),
        ] {
            let answer = request().is_signed(&signature, &[secret('a')], now);
            assert_eq!(answer, is_timely, "{now}");
        }
    }

    #[test]
    fn no_other_text_is_a_signature() {
        let whole = secret('a').sign(&request());
        let cut = whole.len() - 2;
        for text in [
            "",
            "v1=",
            &whole[..cut],
            &whole[3..],
            &whole.to_uppercase(),
            "v1=zz",
            "v1=0",
        ] {
            assert!(!request().is_signed(text, &[secret('a')], NOW), "{text}");
        }
    }

    #[test]
    fn a_short_secret_is_refused_and_none_is_printed() {
        assert!(OriginSecret::new("short").is_none());
        assert_eq!(format!("{:?}", secret('a')), "OriginSecret(redacted)");
    }
}
