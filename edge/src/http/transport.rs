//! HTTPS only: an unencrypted request is refused or redirected before anything else in it is read.
//!
//! The scheme comes from the request's URL, which the platform sets. Headers such as `X-Forwarded-Proto` are not read,
//! because a client can send them. Locally, everything works without encryption: nothing leaves the machine.

use super::host_role::is_loopback_host;
use super::linger::UnreadBody;
use crate::base::refusal::Refusal;
use crate::people::auth::session;
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, COOKIE, LOCATION};
use axum::http::uri::Scheme;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use contract::{ErrorCode, signature};

/// Tells browsers to use HTTPS for the next year. It does not apply to subdomains.
pub(super) const STRICT_TRANSPORT_SECURITY: &str = "max-age=31536000";

/// The kind of connection on which a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    Encrypted,
    /// Unencrypted, from this machine to itself.
    Local,
    Unencrypted,
}

impl Transport {
    pub(super) fn of(url: &Uri) -> Self {
        if url.scheme() == Some(&Scheme::HTTPS) {
            Self::Encrypted
        } else if url.authority().is_some_and(|authority| is_loopback_host(authority.as_str())) {
            Self::Local
        } else {
            Self::Unencrypted
        }
    }
}

/// Returns the response to an unencrypted request: a redirect if it only reads and has no credential, otherwise 403
/// `https_required`. A credential is not looked up, so the response is the same for valid and invalid credentials.
pub(super) fn answer_unencrypted(request: Request<Body>) -> Response<Body> {
    let credential = credential_in(request.headers());
    let only_reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if let (true, None, Some(location)) = (only_reads, credential, encrypted_address(request.uri())) {
        return redirect(location);
    }
    if let Some(credential) = credential {
        tracing::warn!(credential, "a credential was sent without encryption; treat it as exposed");
    }
    let refusal = Refusal::new(ErrorCode::HttpsRequired);
    UnreadBody::attach_for_unknown_caller(refusal, request.into_body().into_data_stream())
}

/// Returns the kind of credential in the headers. Other cookies of the site do not matter here.
fn credential_in(headers: &HeaderMap) -> Option<&'static str> {
    let mut cookies = headers.get_all(COOKIE).iter().map(HeaderValue::as_bytes);
    if headers.contains_key(AUTHORIZATION) {
        Some("authorization")
    } else if cookies.any(session::is_in_cookies) {
        Some("session")
    } else {
        headers.contains_key(signature::SIGNATURE_HEADER).then_some("signature")
    }
}

/// Returns the same address with HTTPS, on its usual port.
fn encrypted_address(url: &Uri) -> Option<HeaderValue> {
    let path = url.path_and_query().map_or("/", |path| path.as_str());
    HeaderValue::from_str(&format!("https://{}{path}", url.host()?)).ok()
}

fn redirect(location: HeaderValue) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
    response.headers_mut().insert(LOCATION, location);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, url: &str, headers: &[(&str, &str)]) -> Request<Body> {
        let request = Request::builder().method(method).uri(url);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.body(Body::empty()).unwrap()
    }

    fn code_of(response: &Response<Body>) -> Option<ErrorCode> {
        response.extensions().get::<Refusal>().map(|refusal| refusal.code)
    }

    #[test]
    fn only_this_machine_may_be_reached_without_encryption() {
        for (url, transport) in [
            ("https://www.example/", Transport::Encrypted),
            ("http://www.example/", Transport::Unencrypted),
            ("http://localhost.example/", Transport::Unencrypted),
            ("http://127.0.0.1.example:8787/", Transport::Unencrypted),
            ("http://127.0.0.1:8787/", Transport::Local),
            ("http://localhost/", Transport::Local),
            ("http://[::1]:8787/", Transport::Local),
        ] {
            assert_eq!(Transport::of(&url.parse().unwrap()), transport, "{url}");
        }
    }

    #[test]
    fn a_request_without_a_credential_is_redirected_to_the_same_address() {
        let cookies = [("cookie", "theme=dark; __Host-session2=x")];
        for headers in [&[][..], &cookies] {
            let answer = answer_unencrypted(request("GET", "http://www.example:8080/meme/a?b=c", headers));
            assert_eq!(answer.status(), StatusCode::MOVED_PERMANENTLY);
            assert_eq!(answer.headers()[LOCATION], "https://www.example/meme/a?b=c");
        }
    }

    #[test]
    fn a_request_with_a_credential_or_a_change_is_refused() {
        let session = format!("theme=dark; __Host-session={}", "a".repeat(43));
        let malformed = "__Host-session=half-a-token";
        let beside_another = format!("name=Jos\u{e9}; {session}");
        for (method, headers) in [
            ("GET", [("authorization", "Bearer x")]),
            ("HEAD", [("authorization", "Basic eDp5")]),
            ("GET", [("cookie", session.as_str())]),
            ("GET", [("cookie", malformed)]),
            ("GET", [("cookie", &beside_another)]),
            ("GET", [(signature::SIGNATURE_HEADER, "x")]),
            ("POST", [("accept", "*/*")]),
            ("DELETE", [("accept", "*/*")]),
        ] {
            let answer = answer_unencrypted(request(method, "http://www.example/x", &headers));
            assert_eq!(code_of(&answer), Some(ErrorCode::HttpsRequired), "{method} {headers:?}");
        }
    }
}
