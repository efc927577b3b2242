//! Verifies that an origin signed a request, by the headers and keys of `contract::signature`. This needs only the
//! headers. The code that reads the body compares it with the signed hash, and the database tells whose key it is and
//! whether it is revoked.

use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::header::single;
use axum::http::HeaderMap;
use contract::signature::{
    BodyHash, CONTENT_SHA256_HEADER, ID_HEADER, KEY_ID_HEADER, OriginKey, SIGNATURE_HEADER, SignedRequest,
    TIMESTAMP_HEADER, parse_key_id,
};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;

/// The longest accepted request id. Ids only appear in logs, and no origin sends longer ones.
const MAX_ID_CHARACTERS: usize = 100;
const MIN_SECRET_CHARACTERS: usize = 32;

/// The Worker's secrets from which origin keys are derived: the current secret, and the previous one while it is being
/// replaced. So the database contains no keys, and a forged signature costs no query.
#[derive(Clone)]
pub(crate) struct OriginKeyRoots {
    current: Hmac<Sha256>,
    previous: Option<Hmac<Sha256>>,
}

/// The parts of the request line that are signed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestLine<'a> {
    pub method: &'a str,
    pub host: &'a str,
    pub target: &'a str,
}

/// The parts of a verified signature that are needed afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VerifiedHeaders {
    pub key_id: u64,
    pub signed_at: UnixSeconds,
    /// The hash that the body must have.
    pub body_hash: BodyHash,
}

impl OriginKeyRoots {
    /// Returns `None` if a secret is shorter than 32 characters.
    pub(crate) fn new(current: &str, previous: Option<&str>) -> Option<Self> {
        // A secret that was removed is empty.
        let previous = previous.filter(|secret| !secret.is_empty());
        Some(Self {
            current: root(current)?,
            previous: previous.map(|secret| root(secret).ok_or(())).transpose().ok()?,
        })
    }

    /// Returns the key with this id, as an origin gets it.
    pub(crate) fn issue(&self, key_id: u64) -> OriginKey {
        derive(&self.current, key_id)
    }

    /// Returns the signer, the time and the hash of the body, if the signature is recent and matches the key's id.
    pub(crate) fn verify(
        &self,
        line: RequestLine<'_>,
        headers: &HeaderMap,
        now: UnixSeconds,
    ) -> Option<VerifiedHeaders> {
        let RequestLine { method, host, target } = line;
        let key_id = parse_key_id(single(headers, KEY_ID_HEADER)?)?;
        let id = single(headers, ID_HEADER).filter(|id| id.len() <= MAX_ID_CHARACTERS)?;
        let timestamp = single(headers, TIMESTAMP_HEADER)?;
        let timestamp_unix: u64 = timestamp.parse().ok()?;
        let body_hash = BodyHash::parse(single(headers, CONTENT_SHA256_HEADER)?)?;
        let request = SignedRequest { method, host, target, id, timestamp_unix, body_hash };
        let is_canonical = timestamp_unix.to_string() == timestamp;
        let signature = single(headers, SIGNATURE_HEADER)?;
        let is_valid = request.verify(signature, &self.keys(key_id), now.0) && is_canonical;
        is_valid.then_some(VerifiedHeaders { key_id, signed_at: UnixSeconds(timestamp_unix), body_hash })
    }

    fn keys(&self, key_id: u64) -> Vec<OriginKey> {
        std::iter::once(&self.current).chain(&self.previous).map(|root| derive(root, key_id)).collect()
    }
}

fn root(secret: &str) -> Option<Hmac<Sha256>> {
    let mac = || Hmac::new_from_slice(secret.as_bytes()).ok();
    (secret.len() >= MIN_SECRET_CHARACTERS).then(mac).flatten()
}

fn derive(root: &Hmac<Sha256>, key_id: u64) -> OriginKey {
    let mut mac = root.clone();
    mac.update(format!("origin key {key_id}").as_bytes());
    OriginKey::new(key_id, mac.finalize().into_bytes().into())
}

impl fmt::Debug for OriginKeyRoots {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OriginKeyRoots(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderName;

    const NOW: UnixSeconds = UnixSeconds(1_800_000_000);
    const LINE: RequestLine<'static> =
        RequestLine { method: "POST", host: "www.example", target: "/internal/jobs/claim" };

    fn text(letter: char) -> String {
        letter.to_string().repeat(32)
    }

    fn roots(current: char, previous: Option<char>) -> OriginKeyRoots {
        OriginKeyRoots::new(&text(current), previous.map(text).as_deref()).unwrap()
    }

    fn signed_by(key: &OriginKey) -> HeaderMap {
        let RequestLine { method, host, target } = LINE;
        let body_hash = BodyHash::of(b"{}");
        let request = SignedRequest { method, host, target, id: "1", timestamp_unix: NOW.0, body_hash };
        let headers = request.headers(key);
        headers.into_iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    fn verify(roots: &OriginKeyRoots, headers: &HeaderMap) -> Option<VerifiedHeaders> {
        roots.verify(LINE, headers, NOW)
    }

    #[test]
    fn while_a_secret_is_replaced_the_keys_of_both_are_valid_and_no_others() {
        let verified = VerifiedHeaders { key_id: 7, signed_at: NOW, body_hash: BodyHash::of(b"{}") };
        for (letter, expected) in [('a', Some(verified)), ('b', Some(verified)), ('c', None)] {
            let headers = signed_by(&roots(letter, None).issue(7));
            assert_eq!(verify(&roots('b', Some('a')), &headers), expected);
        }
        let without_previous = OriginKeyRoots::new(&text('b'), Some("")).unwrap();
        assert_eq!(verify(&without_previous, &signed_by(&roots('a', None).issue(7))), None);
    }

    #[test]
    fn a_key_signs_under_its_own_id_only() {
        let mut headers = signed_by(&roots('a', None).issue(7));
        headers.insert(KEY_ID_HEADER, "8".parse().unwrap());
        assert_eq!(verify(&roots('a', None), &headers), None);
        headers.insert(KEY_ID_HEADER, "07".parse().unwrap());
        assert_eq!(verify(&roots('a', None), &headers), None);
    }

    #[test]
    fn a_signature_is_for_one_method_host_path_and_query() {
        let headers = signed_by(&roots('a', None).issue(7));
        assert!(verify(&roots('a', None), &headers).is_some());
        for line in [
            RequestLine { method: "PUT", ..LINE },
            RequestLine { host: "staging.example", ..LINE },
            RequestLine { target: "/internal/jobs/report", ..LINE },
            RequestLine { target: "/internal/jobs/claim?", ..LINE },
            RequestLine { target: "/internal/jobs/claim?a=1", ..LINE },
        ] {
            assert_eq!(roots('a', None).verify(line, &headers, NOW), None, "{line:?}");
        }
    }

    #[test]
    fn a_missing_or_duplicate_header_is_rejected() {
        for name in [KEY_ID_HEADER, ID_HEADER, TIMESTAMP_HEADER, CONTENT_SHA256_HEADER, SIGNATURE_HEADER] {
            let mut missing = signed_by(&roots('a', None).issue(7));
            let value = missing.remove(name).unwrap();
            assert_eq!(verify(&roots('a', None), &missing), None);
            let mut twice = signed_by(&roots('a', None).issue(7));
            twice.append(name, value);
            assert_eq!(verify(&roots('a', None), &twice), None);
        }
    }

    #[test]
    fn another_hash_than_the_signed_one_is_rejected() {
        let mut headers = signed_by(&roots('a', None).issue(7));
        headers.insert(CONTENT_SHA256_HEADER, BodyHash::of(b"{ }").to_string().parse().unwrap());
        assert_eq!(verify(&roots('a', None), &headers), None);
    }

    #[test]
    fn a_timestamp_has_one_valid_form() {
        for form in [format!("+{NOW}"), format!("0{NOW}"), format!("{NOW}.0")] {
            let mut headers = signed_by(&roots('a', None).issue(7));
            headers.insert(TIMESTAMP_HEADER, form.parse().unwrap());
            assert_eq!(verify(&roots('a', None), &headers), None);
        }
    }

    #[test]
    fn a_short_secret_is_rejected_and_none_is_printed() {
        assert!(OriginKeyRoots::new("short", None).is_none());
        assert!(OriginKeyRoots::new(&text('a'), Some("short")).is_none());
        assert_eq!(format!("{:?}", roots('a', None)), "OriginKeyRoots(redacted)");
    }
}
