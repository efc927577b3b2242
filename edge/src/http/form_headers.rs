//! Reads the properties of a form from the headers, before a byte of the form is read.

use crate::base::refusal::Refusal;
use crate::people::auth::header::single;
use crate::uploads::file::too_large;
use crate::uploads::form::Form;
use crate::uploads::form::fields::parse_token;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName};
use contract::ErrorCode;
use contract::mistake::{duplicate_member, invalid_uuid, not_a_form};
use multipart::{Boundary, BoundaryError};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The boundary and the length of a form. A chunked body has no length.
#[derive(Debug)]
pub(super) struct FormHeaders {
    pub boundary: Boundary,
    pub content_length: Option<u64>,
}

impl FormHeaders {
    /// Reads the headers of an upload, or returns a refusal if they alone show that it cannot be accepted.
    pub(super) fn of_upload(headers: &HeaderMap, max_file_bytes: u64) -> Result<Self, Refusal> {
        let form = Self::read_form(headers, true)?;
        let max_length = max_file_bytes + Form::max_bytes_beside_file(form.boundary.as_str().len());
        if form.content_length.is_some_and(|length| length > max_length) {
            return Err(too_large(max_file_bytes));
        }
        Ok(form)
    }

    /// Reads the headers of a form of any length.
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, Refusal> {
        Self::read_form(headers, false)
    }

    fn read_form(headers: &HeaderMap, takes_video: bool) -> Result<Self, Refusal> {
        let content_type = text(headers, CONTENT_TYPE).unwrap_or_default();
        let boundary = Boundary::from_content_type(content_type);
        let boundary = boundary.map_err(|error| no_form(error, content_type, takes_video))?;
        require_no_encoding(headers)?;
        let content_length = text(headers, CONTENT_LENGTH).and_then(|length| length.parse().ok());
        Ok(Self { boundary, content_length })
    }
}

/// Returns the upload token in the header `Idempotency-Key`, if it was sent. It may be quoted, as in the header's draft
/// standard.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    if !headers.contains_key(IDEMPOTENCY_KEY) {
        return Ok(None);
    }
    let token = single(headers, IDEMPOTENCY_KEY).and_then(|text| parse_token(text.trim_matches('"')));
    let explained = || match single(headers, IDEMPOTENCY_KEY) {
        Some(text) => invalid_uuid("Idempotency-Key", text.trim_matches('"')),
        None => duplicate_member("Idempotency-Key"),
    };
    let invalid = || Refusal::new(ErrorCode::UploadTokenInvalid).with_field("Idempotency-Key").with_detail(explained());
    token.map(Some).ok_or_else(invalid)
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn no_form(error: BoundaryError, content_type: &str, takes_video: bool) -> Refusal {
    match error {
        BoundaryError::NotFormData | BoundaryError::Missing => {
            Refusal::malformed(not_a_form(content_type, takes_video))
        }
        error => Refusal::malformed(format!("The `Content-Type` header is invalid: {error}.")),
    }
}

/// Refuses a compressed body. Without this check, its bytes would be refused as a form without its boundary.
pub(super) fn require_no_encoding(headers: &HeaderMap) -> Result<(), Refusal> {
    let values = headers.get_all(CONTENT_ENCODING).into_iter().map(|value| value.to_str().unwrap_or("unknown"));
    let encodings = values.flat_map(|value| value.split(',')).map(str::trim);
    let is_none = |encoding: &&str| encoding.is_empty() || encoding.eq_ignore_ascii_case("identity");
    let unsupported: Vec<&str> = encodings.filter(|encoding| !is_none(encoding)).collect();
    if unsupported.is_empty() {
        return Ok(());
    }
    let detail = format!(
        "The request has `Content-Encoding: {}`. Send the body uncompressed, without this header.",
        unsupported.join(", ")
    );
    Err(Refusal::new(ErrorCode::ContentEncodingUnsupported).with_detail(detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    const FORM: (HeaderName, &str) = (CONTENT_TYPE, "multipart/form-data; boundary=x");

    fn read(headers: &[(HeaderName, &str)]) -> Result<FormHeaders, Refusal> {
        let value = |value: &str| HeaderValue::from_bytes(value.as_bytes()).unwrap();
        let headers = headers.iter().map(|(name, text)| (name.clone(), value(text)));
        FormHeaders::of_upload(&headers.collect(), 1_000_000)
    }

    fn detail(headers: &[(HeaderName, &str)], code: ErrorCode) -> String {
        let refusal = read(headers).unwrap_err();
        assert_eq!(refusal.code, code, "{refusal:?}");
        refusal.detail.unwrap()
    }

    #[test]
    fn a_form_has_a_boundary_and_may_have_a_length() {
        let chunked = read(&[FORM]).unwrap();
        assert_eq!((chunked.boundary.as_str(), chunked.content_length), ("x", None));
        assert_eq!(read(&[FORM, (CONTENT_LENGTH, "1000")]).unwrap().content_length, Some(1_000));
    }

    #[test]
    fn an_idempotency_key_is_one_uuid_with_or_without_quotes() {
        const TOKEN: &str = "0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60";
        let read = |values: &[&str]| {
            let headers = values.iter().map(|value| (IDEMPOTENCY_KEY, HeaderValue::from_str(value).unwrap()));
            idempotency_key(&headers.collect())
        };
        assert_eq!(read(&[]).unwrap(), None);
        let quoted = format!("\"{}\"", TOKEN.to_uppercase());
        for accepted in [TOKEN, &quoted] {
            assert_eq!(read(&[accepted]).unwrap().as_deref(), Some(TOKEN));
        }
        for refused in [&[""][..], &["order 7"], &[TOKEN, TOKEN], &["0190f0a87c3b7d1e8a111b2c3d4e5f60"]] {
            let refusal = read(refused).unwrap_err();
            let named = (refusal.code, refusal.field.as_deref());
            assert_eq!(named, (ErrorCode::UploadTokenInvalid, Some("Idempotency-Key")), "{refused:?}");
        }
    }

    #[test]
    fn a_body_that_is_not_a_form_is_refused() {
        for content_type in ["application/json", "", "multipart/mixed; boundary=x"] {
            let detail = detail(&[(CONTENT_TYPE, content_type)], ErrorCode::RequestMalformed);
            assert!(detail.contains("-F file=@clip.mp4"), "{detail}");
        }
        let detail = detail(&[(CONTENT_TYPE, "multipart/form-data")], ErrorCode::RequestMalformed);
        assert!(detail.contains("boundary is missing"), "{detail}");
    }

    #[test]
    fn a_content_encoding_is_refused_by_its_name() {
        for encoding in ["gzip", "br", "GZIP", "identity, zstd", "gr\u{fc}n"] {
            let detail = detail(&[FORM, (CONTENT_ENCODING, encoding)], ErrorCode::ContentEncodingUnsupported);
            let named = encoding.trim_start_matches("identity, ");
            assert!(detail.contains(if named.is_ascii() { named } else { "unknown" }), "{detail}");
        }
        let twice = [FORM, (CONTENT_ENCODING, "gzip"), (CONTENT_ENCODING, "br")];
        assert!(detail(&twice, ErrorCode::ContentEncodingUnsupported).contains("`Content-Encoding: gzip, br`"));
        for encoding in ["identity", "Identity", "", " ", "identity, identity"] {
            assert!(read(&[FORM, (CONTENT_ENCODING, encoding)]).is_ok(), "{encoding:?}");
        }
    }

    #[test]
    fn a_length_that_no_accepted_form_can_have_is_refused() {
        let most = 1_000_000 + Form::max_bytes_beside_file(1);
        assert!(read(&[FORM, (CONTENT_LENGTH, &most.to_string())]).is_ok());
        let refusal = read(&[FORM, (CONTENT_LENGTH, &(most + 1).to_string())]).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::ContentFileTooLarge);
    }
}
