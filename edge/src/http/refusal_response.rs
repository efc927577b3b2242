//! Renders a refusal: its status, its headers, and the body that suits the path.
//!
//! Handlers return a `Refusal`, which travels in the response's extensions. The form of the body depends on the path,
//! and outside the API on whether the client is a browser. This applies to 404, 405 and panics too, so the body is
//! written here, in one place.

use super::tus;
use crate::base::daily_limit::add_burst_headers;
use crate::base::refusal::Refusal;
use crate::viewing::document::Page;
use crate::viewing::{headers, messages};
use axum::body::Body;
use axum::http::header::{ACCEPT, ALLOW, CONTENT_TYPE, LINK, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use contract::ErrorCode;
use contract::api::{Failure, KeyEnvelope};
use contract::mistake::{is_secret, unsupported_method};
use contract::paths;
use serde::Serialize;

fn status(refusal: &Refusal) -> StatusCode {
    StatusCode::from_u16(refusal.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn body(refusal: &Refusal, request: RefusedRequest<'_>, detail: Option<String>) -> Vec<u8> {
    if has_key_envelope(request.path) {
        return json_bytes(&KeyEnvelope::failed(refusal.code));
    }
    json_bytes(&Failure {
        success: false,
        error_message_code: refusal.code,
        // An unknown field has the name that the client sent, which may be anything.
        field: refusal.field.as_deref().filter(|name| !is_secret(name)).map(str::to_owned),
        detail: Some(detail.unwrap_or_else(|| refusal.code.text().to_owned())),
        docs_url: request.docs_url(refusal.code),
        limit: refusal.usage.filter(|_| is_limit(refusal)).map(|(usage, _)| usage.state()),
    })
}

/// Whether a refusal at this path has the envelope of key management.
pub(super) fn has_key_envelope(path: &str) -> bool {
    path.starts_with(paths::KEY_MANAGEMENT)
}

/// The addresses that programs call. Their refusals are JSON, even for a browser.
const FOR_PROGRAMS: [&str; 6] =
    [paths::API, paths::INTERNAL, paths::MEDIA, paths::OEMBED, paths::OPENAPI, paths::HEALTH];

/// The properties of a refused request that decide the form of its response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefusedRequest<'a> {
    pub method: &'a str,
    pub path: &'a str,
    /// Whether the request asks for HTML, as browsers do for a window or frame.
    pub wants_html: bool,
    /// The address of the site, which has the documentation. Empty if it is not known.
    pub site: &'a str,
}

impl<'a> RefusedRequest<'a> {
    pub(crate) fn new(method: &'a str, path: &'a str, headers: &HeaderMap, site: &'a str) -> Self {
        Self { method, path, wants_html: wants_html(headers), site }
    }

    fn docs_url(self, code: ErrorCode) -> Option<String> {
        let site = self.site.trim_end_matches('/');
        (!site.is_empty()).then(|| format!("{site}{}{}", paths::DOCS_ERRORS, code.as_str()))
    }

    /// Returns the page that a browser shows, or `None` if the response is JSON.
    fn page(self, refusal: &Refusal) -> Option<Page> {
        let is_embedded = self.path.starts_with(paths::EMBED);
        let is_page = is_embedded || self.path.starts_with(paths::PAGE);
        let is_for_programs = FOR_PROGRAMS.iter().any(|start| self.path.starts_with(start));
        let is_documentation = self.path.starts_with(paths::DOCS_FILES);
        (is_page || self.wants_html && !is_for_programs).then(|| match refusal.code {
            ErrorCode::NotFound if is_documentation => messages::no_documentation(),
            ErrorCode::NotFound if is_embedded => messages::nothing_to_embed(),
            ErrorCode::NotFound => messages::nothing_here(),
            _ => messages::failure(),
        })
    }
}

/// Whether the `Accept` header names HTML. Programs that accept anything get JSON.
pub(crate) fn wants_html(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.contains("text/html"))
}

/// Returns how to authenticate. HTTP requires a challenge in every response with status 401.
const fn challenge(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::ApiKeyInvalid | ErrorCode::DirectUploadTokenInvalid => Some("Bearer error=\"invalid_token\""),
        ErrorCode::ServiceTokenInvalid => Some("Bearer realm=\"service\", error=\"invalid_token\""),
        ErrorCode::AdminTokenInvalid => Some("Bearer realm=\"moderation\", error=\"invalid_token\""),
        ErrorCode::SessionRequired => Some("Cookie realm=\"account\", cookie-name=\"__Host-session\""),
        ErrorCode::SignatureInvalid => Some("Signature realm=\"origin\""),
        _ => None,
    }
}

/// Adds the headers that the refusal needs.
fn add_headers(refusal: &Refusal, headers: &mut HeaderMap) {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(challenge) = challenge(refusal.code) {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    if refusal.code == ErrorCode::JsonContentTypeRequired {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    }
    if let Some((usage, now)) = refusal.usage {
        usage.add_headers(now, headers);
    }
    if refusal.exceeds_burst {
        add_burst_headers(headers);
    }
    if let Some(seconds) = refusal.retry_after_seconds {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
}

fn is_limit(refusal: &Refusal) -> bool {
    refusal.code == ErrorCode::ContentUploadLimitFailure
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response<Body> {
        let mut response = status(&self).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Gives a refusal the body and headers that suit its request. Leaves a success unchanged.
pub(crate) fn render(request: RefusedRequest<'_>, response: Response<Body>) -> Response<Body> {
    let Some(refusal) = response.extensions().get::<Refusal>().cloned() else {
        return response;
    };
    let (mut parts, _) = response.into_parts();
    add_headers(&refusal, &mut parts.headers);
    if let Some(page) = request.page(&refusal) {
        let (headers, html) = page.into_parts();
        parts.headers.extend(headers);
        return Response::from_parts(parts, Body::from(html));
    }
    // The envelope of key management is closed, so the page about the code is in a header.
    if has_key_envelope(request.path)
        && let Some(page) = request.docs_url(refusal.code)
        && let Ok(link) = HeaderValue::from_str(&format!("<{page}>; rel=\"help\""))
    {
        parts.headers.insert(LINK, link);
    }
    if request.path.starts_with(paths::RESUMABLE_UPLOADS) || request.path == paths::RESUMABLE_DIRECT_UPLOAD {
        tus::add_to_refusal(refusal.code, &mut parts.headers);
    }
    if request.path.starts_with(paths::MEDIA) || request.path == paths::OEMBED {
        headers::add_open_to_all(&mut parts.headers);
    }
    let detail = refusal.detail.clone().or_else(|| {
        // Only the router knows the methods of an address, and it lists them after the handler has returned.
        let allowed = parts.headers.get(ALLOW).filter(|_| refusal.code == ErrorCode::MethodNotAllowed);
        allowed.and_then(|allowed| allowed.to_str().ok()).map(|allowed| unsupported_method(request.method, allowed))
    });
    Response::from_parts(parts, Body::from(body(&refusal, request, detail)))
}

/// Serialises a wire type. Every wire type has a JSON form; if one had none, the tests would see an empty body.
fn json_bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::daily_limit::Usage;
    use crate::base::unix_seconds::UnixSeconds;
    use axum::http::header::ACCESS_CONTROL_ALLOW_ORIGIN;
    use futures_executor::block_on;
    use serde_json::{Value, json};

    fn rendered(path: &str, error: Refusal) -> (Response<()>, Value) {
        let request = RefusedRequest { method: "GET", path, wants_html: false, site: "" };
        let (parts, body) = render(request, error.into_response()).into_parts();
        let bytes = block_on(axum::body::to_bytes(body, 4096)).unwrap();
        (Response::from_parts(parts, ()), serde_json::from_slice(&bytes).unwrap())
    }

    #[test]
    fn a_key_management_refusal_is_the_whole_envelope_with_nulls() {
        let error = Refusal::new(ErrorCode::ApiKeyAlreadyExists).with_detail("never shown here");
        let (response, body) = rendered(paths::CREATE_API_KEY, error);
        assert_eq!(response.status(), 409);
        let code = "api_key_already_exists";
        assert_eq!(body, json!({"success": false, "error_message_code": code, "api_key": null, "key": null}));
    }

    #[test]
    fn a_key_management_refusal_links_to_the_page_about_its_code() {
        let link = |path, site| {
            let request = RefusedRequest { method: "GET", path, wants_html: false, site };
            let response = render(request, Refusal::new(ErrorCode::ApiKeyAlreadyExists).into_response());
            response.headers().get(LINK).map(|link| link.to_str().unwrap().to_owned())
        };
        let page = "<https://site.example/docs/errors/api_key_already_exists>; rel=\"help\"";
        assert_eq!(link(paths::CREATE_API_KEY, "https://site.example/").as_deref(), Some(page));
        assert_eq!(link(paths::CREATE_API_KEY, ""), None);
        assert_eq!(link(paths::CREATE_WEBHOOK, "https://site.example"), None);
    }

    #[test]
    fn a_refusal_of_the_management_of_webhooks_says_which_field_and_why() {
        let (_, body) = rendered(paths::CREATE_WEBHOOK, Refusal::new(ErrorCode::WebhookUrlInvalid).with_field("url"));
        assert_eq!((&body["field"], &body["detail"]), (&json!("url"), &json!(ErrorCode::WebhookUrlInvalid.text())));
    }

    #[test]
    fn any_other_refusal_says_what_to_do_and_hides_the_cause() {
        let (response, body) = rendered("/healthz", Refusal::internal("a secret connection string"));
        assert_eq!(response.status(), 500);
        assert_eq!(body["error_message_code"], "internal_error");
        assert_eq!(body["detail"], ErrorCode::InternalError.text());
        assert!(!body.to_string().contains("secret"));
    }

    #[test]
    fn a_refusal_links_to_the_page_about_its_code() {
        let request = RefusedRequest {
            method: "GET",
            path: paths::UPLOAD_VIDEO,
            wants_html: false,
            site: "https://site.example",
        };
        let answer = render(request, Refusal::new(ErrorCode::FileNotFound).into_response());
        let body: Value =
            serde_json::from_slice(&block_on(axum::body::to_bytes(answer.into_body(), 4096)).unwrap()).unwrap();
        assert_eq!(body["docs_url"], "https://site.example/docs/errors/file_not_found");
    }

    #[test]
    fn every_401_and_no_other_answer_has_a_challenge() {
        for code in ErrorCode::ALL {
            let (response, _) = rendered(paths::UPLOAD_LIMITS, Refusal::new(*code));
            let has_challenge = response.headers().contains_key(WWW_AUTHENTICATE);
            assert_eq!(has_challenge, response.status() == StatusCode::UNAUTHORIZED, "{code:?}");
        }
        let (response, _) = rendered(paths::UPLOAD_LIMITS, Refusal::new(ErrorCode::ApiKeyInvalid));
        assert_eq!(response.headers()[WWW_AUTHENTICATE], "Bearer error=\"invalid_token\"");
    }

    #[test]
    fn a_missing_json_type_is_answered_with_the_type_to_send() {
        let (response, _) = rendered(paths::CREATE_API_KEY, Refusal::new(ErrorCode::JsonContentTypeRequired));
        assert_eq!(response.status(), 415);
        assert_eq!(response.headers()[ACCEPT], "application/json");
        let (response, _) = rendered(paths::CREATE_API_KEY, Refusal::new(ErrorCode::CsrfRejected));
        assert!(!response.headers().contains_key(ACCEPT));
    }

    #[test]
    fn only_the_refusal_of_the_daily_limit_has_its_fields() {
        let usage = Usage { day: 1, amount: 3, used: 3 };
        for (code, has_limit) in [(ErrorCode::ContentUploadLimitFailure, true), (ErrorCode::FileNotFound, false)] {
            let refusal = Refusal { usage: Some((usage, UnixSeconds(86_400))), ..Refusal::new(code) };
            let (response, body) = rendered(paths::UPLOAD_VIDEO, refusal);
            assert_eq!(body.get("limit_amount").is_some(), has_limit, "{body}");
            assert_eq!(response.headers()["ratelimit"], "\"daily\";r=0;t=86400");
        }
    }

    #[test]
    fn a_refusal_below_the_pages_is_a_page_without_a_reason() {
        let body = |error: Refusal| {
            let request = RefusedRequest { method: "GET", path: "/meme/a-clip", wants_html: false, site: "" };
            let (parts, body) = render(request, error.into_response()).into_parts();
            assert_eq!(parts.headers[CONTENT_TYPE], "text/html; charset=utf-8");
            assert!(parts.headers.contains_key("content-security-policy"));
            block_on(axum::body::to_bytes(body, 8192)).unwrap()
        };
        let nothing = Refusal::new(ErrorCode::NotFound);
        assert_eq!(body(nothing.clone()), body(nothing.with_detail("a reason")));
        let failed = body(Refusal::internal("a secret"));
        assert!(failed.starts_with(b"<!DOCTYPE html>"));
        assert!(!failed.windows(6).any(|part| part == b"secret"));
    }

    #[test]
    fn a_browser_gets_a_page_where_programs_have_nothing_to_do() {
        for (path, wants_html, is_page) in [
            ("/", true, true),
            ("/nothing", true, true),
            ("/nothing", false, false),
            ("/api/php/developer/nothing", true, false),
            ("/internal/sweep", true, false),
            ("/media/m.mp4", true, false),
            ("/oembed", true, false),
            ("/openapi.json", true, false),
            ("/embed/a-clip", false, true),
        ] {
            let request = RefusedRequest { method: "GET", path, wants_html, site: "" };
            let response = render(request, Refusal::new(ErrorCode::NotFound).into_response());
            let is_html = response.headers()[CONTENT_TYPE].to_str().unwrap().starts_with("text/html");
            assert_eq!((response.status().as_u16(), is_html), (404, is_page), "{path}");
        }
    }

    #[test]
    fn a_refusal_in_a_frame_can_be_shown_there() {
        let policy = |path| {
            let request = RefusedRequest { method: "GET", path, wants_html: true, site: "" };
            let response = render(request, Refusal::new(ErrorCode::NotFound).into_response());
            response.headers()["content-security-policy"].to_str().unwrap().to_owned()
        };
        assert!(policy("/embed/a-clip").contains("frame-ancestors *"));
        assert!(policy("/meme/a-clip").contains("frame-ancestors 'none'"));
    }

    #[test]
    fn pages_of_other_sites_can_read_refusals_of_media_and_embedding() {
        for (path, is_readable) in
            [("/media/m.mp4", true), (paths::OEMBED, true), (paths::UPLOAD_LIMITS, false), ("/nothing", false)]
        {
            let (response, _) = rendered(path, Refusal::new(ErrorCode::NotFound));
            assert_eq!(response.headers().contains_key(ACCESS_CONTROL_ALLOW_ORIGIN), is_readable, "{path}");
        }
    }

    #[test]
    fn html_is_wanted_only_if_it_is_named() {
        for (accept, expected) in
            [("text/html,application/xhtml+xml", true), ("*/*", false), ("application/json", false)]
        {
            let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
            assert_eq!(wants_html(&headers), expected, "{accept}");
        }
        assert!(!wants_html(&HeaderMap::new()));
    }

    #[test]
    fn every_code_keeps_its_status() {
        for code in ErrorCode::ALL {
            let (response, body) = rendered("/", Refusal::new(*code));
            assert_eq!(response.status().as_u16(), code.status());
            assert_eq!(body["error_message_code"], code.as_str());
        }
    }
}
