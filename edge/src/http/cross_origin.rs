//! Cross-origin requests of pages, which only uploads with one-time tokens allow.
//!
//! The token decides which origin may read the response, so a preflight, which has no token, is answered for any
//! origin: it reveals nothing. Once the token or the location of the upload is known, its origin is noted here, and
//! every response to the request, a refusal too, allows this origin alone. Credentials are never allowed.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use std::sync::{Arc, OnceLock};

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

const METHODS: &str = "POST, GET, HEAD, PATCH, DELETE, OPTIONS";
const SENT: &str = "Authorization, Content-Type, Prefer, Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset, \
    X-HTTP-Method-Override, X-Requested-With";
const READ: &str = "Clipgate-Content-Uuid, Clipgate-Error-Code, Location, Retry-After, Tus-Extension, Tus-Max-Size, \
    Tus-Resumable, Tus-Version, Upload-Expires, Upload-Length, Upload-Offset, X-Request-Id";

/// The origin whose pages may read the response. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct CrossOrigin(Arc<OnceLock<HeaderValue>>);

impl CrossOrigin {
    /// Allows the pages of this origin to read the response.
    pub(super) fn allow(&self, origin: &str) {
        if let Ok(origin) = HeaderValue::from_str(origin) {
            self.0.get_or_init(|| origin);
        }
    }

    pub(super) fn add_headers(&self, headers: &mut HeaderMap) {
        let Some(origin) = self.0.get() else { return };
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(READ));
        headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }
}

/// Returns the origin of the page that sent the request, if a page did. An origin that is not ASCII is none that a
/// token can allow.
pub(super) fn origin_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(ORIGIN).map(|origin| origin.to_str().unwrap_or("null"))
}

/// Returns the headers that a browser requires before a page may send the request.
pub(super) fn preflight(request: &HeaderMap) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let cross_origin = CrossOrigin::default();
    if let Some(origin) = origin_of(request) {
        cross_origin.allow(origin);
    }
    cross_origin.add_headers(&mut headers);
    for (name, value) in [
        (ACCESS_CONTROL_ALLOW_METHODS, METHODS),
        (ACCESS_CONTROL_ALLOW_HEADERS, SENT),
        (ACCESS_CONTROL_MAX_AGE, "86400"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_noted_origin_may_read_the_response() {
        let (cross_origin, mut headers) = (CrossOrigin::default(), HeaderMap::new());
        cross_origin.add_headers(&mut headers);
        assert!(headers.is_empty());
        cross_origin.clone().allow("https://app.example");
        cross_origin.allow("https://other.example");
        cross_origin.add_headers(&mut headers);
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "https://app.example");
        assert!(!headers.contains_key("access-control-allow-credentials") && headers[VARY] == "Origin");
    }

    #[test]
    fn a_preflight_is_answered_for_any_origin() {
        let request = HeaderMap::from_iter([(ORIGIN, HeaderValue::from_static("https://any.example"))]);
        let headers = preflight(&request);
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "https://any.example");
        assert!(headers[ACCESS_CONTROL_ALLOW_HEADERS].to_str().unwrap().contains("Upload-Offset"));
        assert!(!preflight(&HeaderMap::new()).contains_key(ACCESS_CONTROL_ALLOW_ORIGIN));
    }
}
