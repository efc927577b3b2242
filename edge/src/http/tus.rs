//! The headers of tus 1.0 (<https://tus.io/protocols/resumable-upload>), the protocol of resumable uploads.

use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::header::single;
use crate::uploads::resumable::{Outcome, Progress};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use contract::ErrorCode;

pub(super) const TUS_RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
pub(super) const TUS_VERSION: HeaderName = HeaderName::from_static("tus-version");
const TUS_EXTENSION: HeaderName = HeaderName::from_static("tus-extension");
const TUS_MAX_SIZE: HeaderName = HeaderName::from_static("tus-max-size");
const UPLOAD_LENGTH: HeaderName = HeaderName::from_static("upload-length");
const UPLOAD_OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const UPLOAD_METADATA: HeaderName = HeaderName::from_static("upload-metadata");
const UPLOAD_EXPIRES: HeaderName = HeaderName::from_static("upload-expires");
/// The outcome of an upload, for clients that read headers only: tus has no bodies.
pub(super) const CONTENT_UUID: HeaderName = HeaderName::from_static("clipgate-content-uuid");
pub(super) const ERROR_CODE: HeaderName = HeaderName::from_static("clipgate-error-code");

pub(super) const VERSION: &str = "1.0.0";
const EXTENSIONS: &str = "creation,creation-with-upload,expiration,termination";
const BYTES: &str = "application/offset+octet-stream";

/// Refuses a request of another version of the protocol.
pub(super) fn require_version(headers: &HeaderMap) -> Result<(), Refusal> {
    let is_ours = single(headers, TUS_RESUMABLE) == Some(VERSION);
    if is_ours { Ok(()) } else { Err(Refusal::new(ErrorCode::TusVersionUnsupported)) }
}

/// Returns the length of the file that a new upload announces.
pub(super) fn upload_length(headers: &HeaderMap) -> Result<u64, Refusal> {
    if headers.contains_key("upload-defer-length") {
        return Err(Refusal::malformed("`Upload-Defer-Length` is not supported. Send `Upload-Length` instead."));
    }
    let length = number(headers, UPLOAD_LENGTH).filter(|length| *length > 0);
    length.ok_or_else(|| Refusal::malformed("The header `Upload-Length` must be the length of the file in bytes."))
}

pub(super) fn upload_offset(headers: &HeaderMap) -> Result<u64, Refusal> {
    let offset = number(headers, UPLOAD_OFFSET);
    offset
        .ok_or_else(|| Refusal::malformed("The header `Upload-Offset` must be a number of bytes. Get it with `HEAD`."))
}

/// Returns the fields that a new upload announces.
pub(super) fn upload_metadata(headers: &HeaderMap) -> Result<&str, Refusal> {
    let invalid =
        || Refusal::new(ErrorCode::UploadMetadataInvalid).with_detail("Send `Upload-Metadata` once, in ASCII.");
    if headers.contains_key(UPLOAD_METADATA) { single(headers, UPLOAD_METADATA).ok_or_else(invalid) } else { Ok("") }
}

/// Whether the body is bytes of the file.
pub(super) fn has_bytes(headers: &HeaderMap) -> bool {
    single(headers, CONTENT_TYPE).is_some_and(|media_type| media_type.eq_ignore_ascii_case(BYTES))
}

pub(super) fn require_bytes(headers: &HeaderMap) -> Result<(), Refusal> {
    let detail = "Send the bytes with the header `Content-Type: application/offset+octet-stream`.";
    if has_bytes(headers) { Ok(()) } else { Err(Refusal::malformed(detail)) }
}

pub(super) fn content_length(headers: &HeaderMap) -> Option<u64> {
    number(headers, CONTENT_LENGTH)
}

fn number(headers: &HeaderMap, name: HeaderName) -> Option<u64> {
    let text = single(headers, name)?;
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Returns the headers that tell what the service supports.
pub(super) fn capabilities(max_bytes: u64) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(TUS_RESUMABLE, HeaderValue::from_static(VERSION));
    headers.insert(TUS_VERSION, HeaderValue::from_static(VERSION));
    headers.insert(TUS_EXTENSION, HeaderValue::from_static(EXTENSIONS));
    headers.insert(TUS_MAX_SIZE, HeaderValue::from(max_bytes));
    headers
}

/// Returns the headers that tell how far an upload has come.
pub(super) fn progress(progress: &Progress) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(TUS_RESUMABLE, HeaderValue::from_static(VERSION));
    headers.insert(UPLOAD_OFFSET, HeaderValue::from(progress.received));
    headers.insert(UPLOAD_LENGTH, HeaderValue::from(progress.length));
    if let Some(date) = http_date(progress.expires_at) {
        headers.insert(UPLOAD_EXPIRES, date);
    }
    if let Outcome::Accepted(uuid) = &progress.outcome
        && let Ok(uuid) = HeaderValue::from_str(uuid.as_str())
    {
        headers.insert(CONTENT_UUID, uuid);
    }
    headers
}

/// Adds the headers of a refusal.
pub(super) fn add_to_refusal(code: ErrorCode, headers: &mut HeaderMap) {
    headers.insert(TUS_RESUMABLE, HeaderValue::from_static(VERSION));
    headers.insert(ERROR_CODE, HeaderValue::from_static(code.as_str()));
    if code == ErrorCode::TusVersionUnsupported {
        headers.insert(TUS_VERSION, HeaderValue::from_static(VERSION));
    }
}

fn http_date(time: UnixSeconds) -> Option<HeaderValue> {
    let time = jiff::Timestamp::from_second(i64::try_from(time.0).ok()?).ok()?;
    HeaderValue::from_str(&time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).unwrap())
        };
        let mut headers = HeaderMap::new();
        for (name, value) in pairs.iter().map(pair) {
            headers.append(name, value);
        }
        headers
    }

    fn code<T>(outcome: Result<T, Refusal>) -> Option<ErrorCode> {
        outcome.err().map(|refusal| refusal.code)
    }

    #[test]
    fn only_one_version_is_spoken() {
        assert_eq!(code(require_version(&headers(&[("tus-resumable", "1.0.0")]))), None);
        for other in [&[][..], &[("tus-resumable", "0.2.2")], &[("tus-resumable", "1.0.0"), ("tus-resumable", "1.0.0")]]
        {
            assert_eq!(code(require_version(&headers(other))), Some(ErrorCode::TusVersionUnsupported), "{other:?}");
        }
    }

    #[test]
    fn lengths_and_offsets_are_plain_numbers() {
        assert_eq!(upload_length(&headers(&[("upload-length", "7")])).ok(), Some(7));
        assert_eq!(upload_offset(&headers(&[("upload-offset", "0")])).ok(), Some(0));
        for wrong in ["", "0", "-1", "+1", "1.5", "0x7", "99999999999999999999"] {
            assert_eq!(code(upload_length(&headers(&[("upload-length", wrong)]))), Some(ErrorCode::RequestMalformed));
        }
        let deferred = headers(&[("upload-length", "7"), ("upload-defer-length", "1")]);
        assert_eq!(code(upload_length(&deferred)), Some(ErrorCode::RequestMalformed));
        assert_eq!(code(upload_offset(&headers(&[]))), Some(ErrorCode::RequestMalformed));
    }

    #[test]
    fn metadata_is_one_ascii_header_or_none() {
        assert_eq!(upload_metadata(&headers(&[])).ok(), Some(""));
        assert_eq!(upload_metadata(&headers(&[("upload-metadata", "a YQ==")])).ok(), Some("a YQ=="));
        let twice = headers(&[("upload-metadata", "a"), ("upload-metadata", "b")]);
        assert_eq!(code(upload_metadata(&twice)), Some(ErrorCode::UploadMetadataInvalid));
    }

    #[test]
    fn a_time_is_written_as_http_dates_are() {
        assert_eq!(http_date(UnixSeconds(784_111_777)).unwrap(), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
