//! A refusal or a failure of a request, from where it is raised to the envelope it is answered in.
//!
//! Handlers return it; it travels in the response's extensions; `render` alone turns it into a body, because
//! only the path says which envelope is the right one, and 404, 405 and panics need it too.

use crate::daily_limit::Usage;
use crate::delivery::{headers, page};
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use contract::ErrorCode;
use contract::api::{Failure, KeyEnvelope};
use contract::paths;
use serde::Serialize;
use std::fmt::Display;

#[derive(Clone, Debug)]
pub struct ApiError {
    pub code: ErrorCode,
    field: Option<&'static str>,
    detail: Option<String>,
    /// The channel's day and the time at which it was so.
    usage: Option<(Usage, u64)>,
    retry_after_seconds: Option<u64>,
    /// What really happened: for the log, never for the client.
    cause: Option<String>,
}

impl ApiError {
    pub fn new(code: ErrorCode) -> Self {
        Self {
            code,
            field: None,
            detail: None,
            usage: None,
            retry_after_seconds: None,
            cause: None,
        }
    }

    /// A failure of ours; the client learns only that it was one.
    pub fn internal(cause: impl Display) -> Self {
        Self {
            cause: Some(cause.to_string()),
            ..Self::new(ErrorCode::InternalError)
        }
    }

    /// The day's limit refuses; the answer says until when.
    pub fn limit_reached(usage: Usage, now_unix: u64) -> Self {
        let seconds = usage.resets_at_unix().saturating_sub(now_unix).max(1);
        Self::new(ErrorCode::ContentUploadLimitFailure)
            .with_usage(usage, now_unix)
            .with_retry_after(seconds)
    }

    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::RequestMalformed).with_detail(detail)
    }

    #[must_use]
    pub fn with_detail(self, detail: impl Into<String>) -> Self {
        Self {
            detail: Some(detail.into()),
            ..self
        }
    }

    #[must_use]
    pub fn with_field(self, field: &'static str) -> Self {
        Self {
            field: Some(field),
            ..self
        }
    }

    /// The channel's day, for the headers that every answer to a key carries.
    #[must_use]
    pub fn with_usage(self, usage: Usage, now_unix: u64) -> Self {
        Self {
            usage: Some((usage, now_unix)),
            ..self
        }
    }

    #[must_use]
    pub fn with_retry_after(self, seconds: u64) -> Self {
        Self {
            retry_after_seconds: Some(seconds),
            ..self
        }
    }

    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn body(&self, path: &str) -> Vec<u8> {
        if path.starts_with(paths::KEY_MANAGEMENT) {
            return json_bytes(&KeyEnvelope::failed(self.code));
        }
        json_bytes(&Failure {
            success: false,
            error_message_code: self.code,
            field: self.field.map(str::to_owned),
            detail: Some(
                self.detail
                    .clone()
                    .unwrap_or_else(|| self.code.text().to_owned()),
            ),
            limit: self
                .usage
                .filter(|_| self.is_limit())
                .map(|(usage, _)| usage.state()),
        })
    }

    /// What a browser shows of it.
    fn page(&self) -> page::Page {
        match self.code {
            ErrorCode::NotFound => page::nothing_here(),
            _ => page::failure(),
        }
    }

    /// The headers that the code itself asks for.
    fn add_headers(&self, headers: &mut axum::http::HeaderMap) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.code == ErrorCode::ApiKeyInvalid {
            headers.insert(
                WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer error=\"invalid_token\""),
            );
        }
        if let Some((usage, now_unix)) = self.usage {
            usage.add_headers(now_unix, headers);
        }
        if let Some(seconds) = self.retry_after_seconds {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
    }

    fn is_limit(&self) -> bool {
        self.code == ErrorCode::ContentUploadLimitFailure
    }
}

impl<E: std::error::Error> From<E> for ApiError {
    fn from(error: E) -> Self {
        Self::internal(error)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response<Body> {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Gives a failure the body and the headers that are right for its path; leaves a success as it is.
pub fn render(path: &str, response: Response<Body>) -> Response<Body> {
    let Some(error) = response.extensions().get::<ApiError>().cloned() else {
        return response;
    };
    let (mut parts, _) = response.into_parts();
    error.add_headers(&mut parts.headers);
    if path.starts_with(paths::PAGE) {
        let (headers, html) = error.page().into_parts();
        parts.headers.extend(headers);
        return Response::from_parts(parts, Body::from(html));
    }
    if path.starts_with(paths::MEDIA) {
        headers::add_open_to_all(&mut parts.headers);
    }
    Response::from_parts(parts, Body::from(error.body(path)))
}

/// Wire types hold nothing that JSON cannot: a failure to serialise one shows as an empty body in every test.
fn json_bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_executor::block_on;
    use serde_json::{Value, json};

    fn rendered(path: &str, error: ApiError) -> (Response<()>, Value) {
        let (parts, body) = render(path, error.into_response()).into_parts();
        let bytes = block_on(axum::body::to_bytes(body, 4096)).unwrap();
        (
            Response::from_parts(parts, ()),
            serde_json::from_slice(&bytes).unwrap(),
        )
    }

    #[test]
    fn a_key_management_failure_is_the_whole_envelope_with_nulls() {
        let error = ApiError::new(ErrorCode::ApiKeyAlreadyExists).with_detail("never shown here");
        let (response, body) = rendered(paths::CREATE_API_KEY, error);
        assert_eq!(response.status(), 409);
        let code = "api_key_already_exists";
        assert_eq!(
            body,
            json!({"success": false, "error_message_code": code, "api_key": null, "key": null})
        );
    }

    #[test]
    fn another_failure_says_what_to_do_and_nothing_of_the_cause() {
        let (response, body) =
            rendered("/healthz", ApiError::internal("a secret connection string"));
        assert_eq!(response.status(), 500);
        assert_eq!(body["error_message_code"], "internal_error");
        assert_eq!(body["detail"], ErrorCode::InternalError.text());
        assert!(!body.to_string().contains("secret"));
    }

    #[test]
    fn an_invalid_key_is_answered_with_its_challenge() {
        let (response, _) = rendered(
            paths::UPLOAD_LIMITS,
            ApiError::new(ErrorCode::ApiKeyInvalid),
        );
        assert_eq!(
            response.headers()[WWW_AUTHENTICATE],
            "Bearer error=\"invalid_token\""
        );
    }

    #[test]
    fn a_failure_at_a_pages_address_is_a_page_and_tells_no_reason() {
        let body = |error: ApiError| {
            let (parts, body) = render("/meme/a-clip", error.into_response()).into_parts();
            assert_eq!(parts.headers[CONTENT_TYPE], "text/html; charset=utf-8");
            assert!(parts.headers.contains_key("content-security-policy"));
            block_on(axum::body::to_bytes(body, 8192)).unwrap()
        };
        let nothing = ApiError::new(ErrorCode::NotFound);
        assert_eq!(body(nothing.clone()), body(nothing.with_detail("a reason")));
        let failed = body(ApiError::internal("a secret"));
        assert!(failed.starts_with(b"<!doctype html>"));
        assert!(!failed.windows(6).any(|part| part == b"secret"));
    }

    #[test]
    fn every_code_keeps_its_status() {
        for code in ErrorCode::ALL {
            let (response, body) = rendered("/", ApiError::new(*code));
            assert_eq!(response.status().as_u16(), code.status());
            assert_eq!(body["error_message_code"], code.as_str());
        }
    }
}
