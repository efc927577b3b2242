//! Reads headers that carry credentials. A header that is sent twice is not accepted: two readers could choose
//! different values.

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, AsHeaderName};

/// Returns the value of a header that was sent exactly once and is text.
pub(crate) fn single(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() {
        return None;
    }
    first.to_str().ok()
}

/// Returns the token of `Authorization: Bearer <token>`.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = single(headers, AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (AUTHORIZATION, HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_scheme_is_bearer_in_any_case() {
        for value in ["Bearer secret", "bearer secret", "BEARER  secret "] {
            assert_eq!(bearer_token(&headers(&[value])), Some("secret"), "{value}");
        }
        for value in ["Basic secret", "Bearer", "secret", ""] {
            assert_eq!(bearer_token(&headers(&[value])), None, "{value}");
        }
    }

    #[test]
    fn a_header_that_is_sent_twice_is_not_accepted() {
        assert_eq!(bearer_token(&headers(&["Bearer a", "Bearer a"])), None);
        assert_eq!(bearer_token(&headers(&[])), None);
    }
}
