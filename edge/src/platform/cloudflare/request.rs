//! Converts the runtime's request into one of axum's.

use super::request_body::chunks;
use crate::base::refusal::Refusal;
use axum::body::Body;
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request};

pub(crate) fn from_runtime(request: &worker::Request) -> Result<Request<Body>, Refusal> {
    let (runtime, headers) = (request.inner(), headers(request));
    let body = match runtime.body() {
        Some(body) => Body::from_stream(chunks(body, content_length(&headers))?),
        None => Body::empty(),
    };
    let mut converted = Request::builder()
        .method(runtime.method().as_str())
        .uri(runtime.url())
        .body(body)
        .map_err(Refusal::internal)?;
    *converted.headers_mut() = headers;
    Ok(converted)
}

/// Copies the headers. Headers that are invalid for axum are dropped and count as not sent. The crate's own conversion
/// panics at an invalid header, before anything can catch the panic.
fn headers(request: &worker::Request) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in request.headers() {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value.as_bytes())) {
            headers.append(name, value);
        }
    }
    headers
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
