//! The headers of the responses. Each is defined once, as a component; the responses refer to it.

use super::{define_used, lenient, reference};
use crate::http::callers::Credential;
use crate::http::route::Route;
use contract::ErrorCode;
use contract::paths::{self, DOCS_ERRORS};
use serde_json::{Map, Value, json};

const X_REQUEST_ID: &str = "x-request-id";
const RETRY_AFTER: &str = "Retry-After";
const WWW_AUTHENTICATE: &str = "WWW-Authenticate";
const ACCEPT: &str = "Accept";
const LINK: &str = "Link";
const RATE_LIMIT: [&str; 2] = ["RateLimit-Policy", "RateLimit"];

/// The codes whose refusals always have `Retry-After`.
const TEMPORARY: [ErrorCode; 6] = [
    ErrorCode::RateLimited,
    ErrorCode::TooManyUploads,
    ErrorCode::ContentUploadLimitFailure,
    ErrorCode::DailyChangeLimitReached,
    ErrorCode::UploadInProgress,
    ErrorCode::ServiceOverloaded,
];

/// Adds the headers of every response and the headers for the kind of caller. Replaces the headers in a handler's
/// attribute with references to their definitions.
pub(super) fn describe(operation: &mut Value, route: &Route) {
    let has_key = route.requirement().is_strict() && route.requirement().accepts(Credential::ApiKey);
    let is_lenient = lenient::is_asked_for(operation, route);
    let responses = operation["responses"].as_object_mut();
    for (status, response) in responses.into_iter().flatten() {
        let mut names = vec![X_REQUEST_ID];
        // Without a valid key, a caller learns no limits, and a failure may occur before they are known.
        if has_key && status != "401" && !status.starts_with('5') {
            names.extend(RATE_LIMIT);
        }
        if is_lenient && status == "200" {
            names.extend(lenient::HEADERS);
        }
        let declared = response["headers"].as_object().cloned().unwrap_or_default();
        let all = declared.keys().map(String::as_str).chain(names).map(refer);
        response["headers"] = Value::Object(all.collect());
    }
}

/// Returns the headers for these codes, and the link if the body has no place for it.
pub(super) fn of_refusals(codes: &[ErrorCode], has_link: bool) -> Map<String, Value> {
    let has = |one| codes.contains(&one);
    let headers = [
        (RETRY_AFTER, codes.iter().any(|code| TEMPORARY.contains(code))),
        (WWW_AUTHENTICATE, codes.iter().any(|code| code.status() == 401)),
        (ACCEPT, has(ErrorCode::JsonContentTypeRequired)),
        (LINK, has_link),
    ];
    headers.into_iter().filter(|(_, is_sent)| *is_sent).map(|(name, _)| refer(name)).collect()
}

/// Defines the headers that the document's responses refer to.
pub(super) fn define(document: &mut Value) {
    define_used(document, "headers", definitions().into_iter().map(|(name, header)| (name.to_owned(), header)));
}

fn refer(name: &str) -> (String, Value) {
    (name.to_owned(), json!({ "$ref": reference("headers", name) }))
}

fn definitions() -> [(&'static str, Value); 21] {
    [
        (X_REQUEST_ID, request_id()),
        (RETRY_AFTER, number("The seconds to wait before the next attempt.", 5)),
        (WWW_AUTHENTICATE, text("The required authentication.", "Bearer error=\"invalid_token\"")),
        (ACCEPT, text("The media type to send.", "application/json")),
        (
            "Set-Cookie",
            text(
                "The cookie of the desk, or its removal.",
                "__Host-desk=…; Max-Age=43200; Path=/; Secure; HttpOnly; SameSite=Strict",
            ),
        ),
        (
            LINK,
            text(
                "The page about the error code.",
                &format!("<https://clipgate.example{DOCS_ERRORS}api_key_not_found>; rel=\"help\""),
            ),
        ),
        (
            "RateLimit-Policy",
            text(
                "The limits: `q` uploads per channel and day, and `q` requests per key in `w` seconds.",
                "\"daily\";q=50;w=86400, \"burst\";q=100;w=10",
            ),
        ),
        (
            "RateLimit",
            text(
                "The remaining quota: `r` uploads until the next day, in `t` seconds. With `rate_limited`, only the \
                 requests.",
                "\"daily\";r=42;t=400",
            ),
        ),
        ("Idempotency-Replayed", replayed()),
        ("Preference-Applied", text("Sent if unknown names were ignored.", "handling=lenient")),
        (
            "Ignored-Fields",
            text(
                "The unknown fields and parameters that were ignored, percent-encoded where needed.",
                "captoin, labels",
            ),
        ),
        ("ETag", text("Send it as `If-None-Match` to get 304 while nothing has changed.", "W/\"5d41402abc4b2a76\"")),
        ("Accept-Ranges", text("Byte ranges can be requested.", "bytes")),
        ("Content-Range", text("The byte range in the body.", "bytes 0-1023/146515")),
        (
            "Location",
            text(
                "The URL of the upload, relative to the request's URL. Keep it secret.",
                &format!("{}/q8W1mD0aZt5yVhB2nKx7RcJ4uLs9EfGpT3wYb6Ne", paths::RESUMABLE_UPLOADS),
            ),
        ),
        ("Tus-Resumable", text("The tus protocol version.", "1.0.0")),
        ("Upload-Offset", number("The number of bytes that are stored.", 52_428_800)),
        ("Upload-Length", number("The size of the file in bytes.", 734_003_200)),
        ("Upload-Expires", text("The time when an unfinished upload is deleted.", "Fri, 20 Nov 2026 00:00:00 GMT")),
        ("Clipgate-Content-Uuid", text("The UUID of the video, once it is accepted.", contract::example::CONTENT_UUID)),
        ("Content-Length", number("The length of the body.", 146_515)),
    ]
}

/// Returns the definition of the header that every response has.
fn request_id() -> Value {
    json!({
        "description": "Identifies the request in the service's log. Include it when you report a problem.",
        "required": true,
        "schema": { "type": "string", "format": "uuid" },
        "example": "019aa8b5-7c61-7d3e-9a52-0c5d3c1b8f42",
    })
}

fn replayed() -> Value {
    json!({
        "description": "`true` if this response repeats the result of an earlier upload with the same token. Omitted \
            otherwise.",
        "schema": { "type": "string", "enum": ["true"] },
        "example": "true",
    })
}

fn text(description: &str, example: &str) -> Value {
    json!({ "description": description, "schema": { "type": "string" }, "example": example })
}

fn number(description: &str, example: u64) -> Value {
    json!({ "description": description, "schema": { "type": "integer", "minimum": 0 }, "example": example })
}
