//! Whether a request comes from an origin: the headers and the secrets around `contract::signature`.

use axum::http::HeaderMap;
use contract::signature::{
    ID_HEADER, OriginSecret, SIGNATURE_HEADER, SignedRequest, TIMESTAMP_HEADER,
};

/// An id is for the logs: longer ones are nobody's.
const MAX_ID_CHARACTERS: usize = 100;

/// The secrets that are alive: the current one, and the one before it while it is being replaced.
#[derive(Clone, Debug)]
pub struct OriginSecrets(Vec<OriginSecret>);

impl OriginSecrets {
    /// `None` when one of them is too short to be a secret.
    pub fn new(current: &str, previous: Option<&str>) -> Option<Self> {
        // An empty text stands for a secret that was taken away.
        let previous = previous.filter(|secret| !secret.is_empty());
        let secrets = std::iter::once(current).chain(previous);
        secrets
            .map(OriginSecret::new)
            .collect::<Option<_>>()
            .map(Self)
    }

    /// When the request was signed, if one of the secrets signed it, about now.
    pub fn verify(&self, asked: Asked<'_>, headers: &HeaderMap, now_unix: u64) -> Option<u64> {
        let id = single(headers, ID_HEADER).filter(|id| id.len() <= MAX_ID_CHARACTERS)?;
        let timestamp = single(headers, TIMESTAMP_HEADER)?;
        let timestamp_unix: u64 = timestamp.parse().ok()?;
        let request = SignedRequest {
            method: asked.method,
            path: asked.path,
            id,
            timestamp_unix,
            body: asked.body,
        };
        let is_plain = timestamp_unix.to_string() == timestamp;
        let signature = single(headers, SIGNATURE_HEADER)?;
        (request.is_signed(signature, &self.0, now_unix) && is_plain).then_some(timestamp_unix)
    }
}

/// What of a request is signed besides its headers.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub body: &'a [u8],
}

/// The value of a header that came exactly once.
fn single<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then(|| first.to_str().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;
    const ASKED: Asked<'static> = Asked {
        method: "POST",
        path: "/internal/jobs/claim",
        body: b"{}",
    };

    fn text(letter: char) -> String {
        letter.to_string().repeat(32)
    }

    fn signed_by(letter: char) -> HeaderMap {
        let request = SignedRequest {
            method: ASKED.method,
            path: ASKED.path,
            id: "1",
            timestamp_unix: NOW,
            body: ASKED.body,
        };
        let signature = OriginSecret::new(&text(letter)).unwrap().sign(&request);
        let mut headers = HeaderMap::new();
        headers.insert(ID_HEADER, "1".parse().unwrap());
        headers.insert(TIMESTAMP_HEADER, NOW.into());
        headers.insert(SIGNATURE_HEADER, signature.parse().unwrap());
        headers
    }

    #[test]
    fn while_a_secret_is_replaced_both_are_good_and_no_third() {
        let both = OriginSecrets::new(&text('b'), Some(&text('a'))).unwrap();
        for (letter, expected) in [('a', Some(NOW)), ('b', Some(NOW)), ('c', None)] {
            assert_eq!(both.verify(ASKED, &signed_by(letter), NOW), expected);
        }
        let one = OriginSecrets::new(&text('b'), Some("")).unwrap();
        assert_eq!(one.verify(ASKED, &signed_by('a'), NOW), None);
    }

    #[test]
    fn a_header_that_is_missing_or_comes_twice_is_no_signature() {
        let secrets = OriginSecrets::new(&text('a'), None).unwrap();
        for name in [ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER] {
            let mut missing = signed_by('a');
            let value = missing.remove(name).unwrap();
            assert_eq!(secrets.verify(ASKED, &missing, NOW), None);
            let mut twice = signed_by('a');
            twice.append(name, value);
            assert_eq!(secrets.verify(ASKED, &twice, NOW), None);
        }
    }

    #[test]
    fn a_time_has_one_form() {
        let secrets = OriginSecrets::new(&text('a'), None).unwrap();
        for form in [format!("+{NOW}"), format!("0{NOW}"), format!("{NOW}.0")] {
            let mut headers = signed_by('a');
            headers.insert(TIMESTAMP_HEADER, form.parse().unwrap());
            assert_eq!(secrets.verify(ASKED, &headers, NOW), None);
        }
    }

    #[test]
    fn a_short_secret_is_refused() {
        assert!(OriginSecrets::new("short", None).is_none());
        assert!(OriginSecrets::new(&text('a'), Some("short")).is_none());
    }
}
