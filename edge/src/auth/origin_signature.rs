//! Verifies that an origin signed a request, by the headers and secrets of `contract::signature`. The headers alone are
//! enough for that. The code that reads the body compares it with the signed hash.

use crate::auth::header::single;
use crate::unix_seconds::UnixSeconds;
use axum::http::HeaderMap;
use contract::signature::{
    BodyHash, CONTENT_SHA256_HEADER, ID_HEADER, OriginSecret, SIGNATURE_HEADER, SignedRequest, TIMESTAMP_HEADER,
};

/// The longest accepted request id. Ids only appear in logs, and no origin sends longer ones.
const MAX_ID_CHARACTERS: usize = 100;

/// The valid secrets: the current one, and the previous one while it is being replaced.
#[derive(Clone, Debug)]
pub(crate) struct OriginSecrets(Vec<OriginSecret>);

impl OriginSecrets {
    /// Returns `None` if a secret is shorter than 32 characters.
    pub(crate) fn new(current: &str, previous: Option<&str>) -> Option<Self> {
        // A secret that was removed is empty.
        let previous = previous.filter(|secret| !secret.is_empty());
        let secrets = std::iter::once(current).chain(previous);
        secrets.map(OriginSecret::new).collect::<Option<_>>().map(Self)
    }

    /// Returns when the request was signed and the hash of its body, if one of the secrets signed it recently.
    pub(crate) fn verify(
        &self,
        method: &str,
        path: &str,
        headers: &HeaderMap,
        now: UnixSeconds,
    ) -> Option<VerifiedHeaders> {
        let id = single(headers, ID_HEADER).filter(|id| id.len() <= MAX_ID_CHARACTERS)?;
        let timestamp = single(headers, TIMESTAMP_HEADER)?;
        let timestamp_unix: u64 = timestamp.parse().ok()?;
        let body_hash = BodyHash::parse(single(headers, CONTENT_SHA256_HEADER)?)?;
        let request = SignedRequest { method, path, id, timestamp_unix, body_hash };
        let is_canonical = timestamp_unix.to_string() == timestamp;
        let signature = single(headers, SIGNATURE_HEADER)?;
        let is_valid = request.verify(signature, &self.0, now.0) && is_canonical;
        is_valid.then_some(VerifiedHeaders { signed_at: UnixSeconds(timestamp_unix), body_hash })
    }
}

/// The parts of a verified signature that are needed afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VerifiedHeaders {
    pub signed_at: UnixSeconds,
    /// The hash that the body must have.
    pub body_hash: BodyHash,
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderName;

    const NOW: UnixSeconds = UnixSeconds(1_800_000_000);
    const METHOD: &str = "POST";
    const PATH: &str = "/internal/jobs/claim";

    fn text(letter: char) -> String {
        letter.to_string().repeat(32)
    }

    fn signed_by(letter: char) -> HeaderMap {
        let body_hash = BodyHash::of(b"{}");
        let request = SignedRequest { method: METHOD, path: PATH, id: "1", timestamp_unix: NOW.0, body_hash };
        let headers = request.headers(&OriginSecret::new(&text(letter)).unwrap());
        headers.into_iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    fn verify(secrets: &OriginSecrets, headers: &HeaderMap) -> Option<VerifiedHeaders> {
        secrets.verify(METHOD, PATH, headers, NOW)
    }

    #[test]
    fn while_a_secret_is_replaced_both_are_valid_and_no_other() {
        let both = OriginSecrets::new(&text('b'), Some(&text('a'))).unwrap();
        let verified = VerifiedHeaders { signed_at: NOW, body_hash: BodyHash::of(b"{}") };
        for (letter, expected) in [('a', Some(verified)), ('b', Some(verified)), ('c', None)] {
            assert_eq!(verify(&both, &signed_by(letter)), expected);
        }
        let one = OriginSecrets::new(&text('b'), Some("")).unwrap();
        assert_eq!(verify(&one, &signed_by('a')), None);
    }

    #[test]
    fn a_signature_is_for_one_method_and_one_path() {
        let secrets = OriginSecrets::new(&text('a'), None).unwrap();
        let headers = signed_by('a');
        assert_eq!(secrets.verify("PUT", PATH, &headers, NOW), None);
        assert_eq!(secrets.verify(METHOD, "/internal/jobs/report", &headers, NOW), None);
    }

    #[test]
    fn a_missing_or_duplicate_header_is_rejected() {
        let secrets = OriginSecrets::new(&text('a'), None).unwrap();
        for name in [ID_HEADER, TIMESTAMP_HEADER, CONTENT_SHA256_HEADER, SIGNATURE_HEADER] {
            let mut missing = signed_by('a');
            let value = missing.remove(name).unwrap();
            assert_eq!(verify(&secrets, &missing), None);
            let mut twice = signed_by('a');
            twice.append(name, value);
            assert_eq!(verify(&secrets, &twice), None);
        }
    }

    #[test]
    fn another_hash_than_the_signed_one_is_rejected() {
        let secrets = OriginSecrets::new(&text('a'), None).unwrap();
        let mut headers = signed_by('a');
        headers.insert(CONTENT_SHA256_HEADER, BodyHash::of(b"{ }").to_string().parse().unwrap());
        assert_eq!(verify(&secrets, &headers), None);
    }

    #[test]
    fn a_timestamp_has_one_valid_form() {
        let secrets = OriginSecrets::new(&text('a'), None).unwrap();
        for form in [format!("+{NOW}"), format!("0{NOW}"), format!("{NOW}.0")] {
            let mut headers = signed_by('a');
            headers.insert(TIMESTAMP_HEADER, form.parse().unwrap());
            assert_eq!(verify(&secrets, &headers), None);
        }
    }

    #[test]
    fn a_short_secret_is_rejected() {
        assert!(OriginSecrets::new("short", None).is_none());
        assert!(OriginSecrets::new(&text('a'), Some("short")).is_none());
    }
}
