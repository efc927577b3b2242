//! Fields and parameters that the API does not define. The refusal suggests the nearest known name. If the client sends
//! `Prefer: handling=lenient` (RFC 7240), they are ignored, and a header lists their names.

use crate::base::refusal::Refusal;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use contract::ErrorCode;
use contract::mistake::{unknown_field, unknown_parameter};
use std::sync::{Arc, Mutex, PoisonError};

const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const IGNORED_FIELDS: HeaderName = HeaderName::from_static("ignored-fields");

/// The maximum number of names in the header, and of bytes in each. Proxies limit the size of headers.
const MAX_NAMES: usize = 32;
const MAX_NAME_BYTES: usize = 64;

/// The handling of unknown names in one request. Clones share the names that were ignored.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnknownFields {
    /// The names that were ignored, or `None` if they are refused.
    ignored: Option<Arc<Mutex<Vec<String>>>>,
}

impl UnknownFields {
    /// Returns the handling that the `Prefer` header of a request asks for.
    pub(crate) fn preferred_by(headers: &HeaderMap) -> Self {
        if prefers_lenient(headers) { Self::ignoring() } else { Self::default() }
    }

    pub(crate) fn ignoring() -> Self {
        Self { ignored: Some(Arc::default()) }
    }

    /// Ignores an unknown field, or returns 422 `field_unknown`.
    pub(crate) fn take_field(&self, name: &str, known: &[&'static str]) -> Result<(), Refusal> {
        self.take(name, known, unknown_field).map_err(|refusal| Refusal { code: ErrorCode::FieldUnknown, ..refusal })
    }

    /// Ignores an unknown query parameter, or returns 400 `request_malformed`.
    pub(crate) fn take_parameter(&self, name: &str, known: &[&'static str]) -> Result<(), Refusal> {
        self.take(name, known, unknown_parameter)
    }

    fn take(
        &self,
        name: &str,
        known: &[&'static str],
        explain: fn(&str, &[&'static str]) -> String,
    ) -> Result<(), Refusal> {
        if let Some(ignored) = &self.ignored {
            ignored.lock().unwrap_or_else(PoisonError::into_inner).push(encoded(name));
            return Ok(());
        }
        Err(Refusal::malformed(explain(name, known)).with_field(name))
    }

    /// Forgets the names that were ignored so far, because the same request will be read again.
    pub(crate) fn forget(&self) {
        if let Some(ignored) = &self.ignored {
            ignored.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    /// Adds the headers that list the ignored names, if there are any.
    pub(crate) fn add_headers(&self, headers: &mut HeaderMap) {
        let Some(ignored) = &self.ignored else { return };
        let mut names = std::mem::take(&mut *ignored.lock().unwrap_or_else(PoisonError::into_inner));
        names.truncate(MAX_NAMES);
        if let (false, Ok(names)) = (names.is_empty(), HeaderValue::from_str(&names.join(", "))) {
            headers.insert(PREFERENCE_APPLIED, HeaderValue::from_static("handling=lenient"));
            headers.insert(IGNORED_FIELDS, names);
        }
    }
}

/// Whether the preference `handling` is `lenient`. If it is given more than once, the first counts.
fn prefers_lenient(headers: &HeaderMap) -> bool {
    for value in headers.get_all(PREFER) {
        for preference in value.as_bytes().split(|byte| *byte == b',') {
            let mut plain: Vec<u8> = preference.to_ascii_lowercase();
            plain.retain(|byte| !b" \t\"".contains(byte));
            if let Some(handling) = plain.strip_prefix(b"handling=") {
                return handling == b"lenient" || handling.starts_with(b"lenient;");
            }
        }
    }
    false
}

/// Returns a name encoded for a header: everything but letters, digits, `_`, `-` and `.` is percent-encoded.
fn encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes().take(MAX_NAME_BYTES) {
        if byte.is_ascii_alphanumeric() || b"_-.".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push('%');
            text += &contract::hexadecimal(&[byte]);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 7] =
        ["file", "caption", "super_category_id", "thumbnail_time", "upload_token", "content_uuid", "state"];

    fn prefer(values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (PREFER, HeaderValue::from_static(value))).collect()
    }

    /// Returns the list of ignored names for the header.
    fn listed(names: &[&str]) -> Option<String> {
        let (unknown, mut headers) = (UnknownFields::ignoring(), HeaderMap::new());
        for name in names {
            unknown.take_field(name, &KNOWN).unwrap();
        }
        unknown.add_headers(&mut headers);
        assert_eq!(headers.contains_key(PREFERENCE_APPLIED), headers.contains_key(IGNORED_FIELDS));
        headers.get(IGNORED_FIELDS).map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_refusal_names_the_field_and_what_was_meant() {
        let refusal = UnknownFields::default().take_field("captoin", &KNOWN).unwrap_err();
        assert_eq!((refusal.code, refusal.field.as_deref()), (ErrorCode::FieldUnknown, Some("captoin")));
        let detail = refusal.detail.unwrap();
        assert!(detail.starts_with("Unknown field `captoin`. Did you mean `caption`? "), "{detail}");
        let refusal = UnknownFields::default().take_parameter("page", &KNOWN).unwrap_err();
        assert_eq!((refusal.code, refusal.field.as_deref()), (ErrorCode::RequestMalformed, Some("page")));
        assert!(refusal.detail.unwrap().starts_with("Unknown query parameter `page`. Remove it. "));
    }

    #[test]
    fn only_the_first_handling_counts_in_any_case_and_among_others() {
        for lenient in [
            &["handling=lenient"][..],
            &["respond-async, Handling = \"Lenient\"; x=1"],
            &["return=minimal", "handling=lenient", "handling=strict"],
        ] {
            assert!(prefers_lenient(&prefer(lenient)), "{lenient:?}");
        }
        for strict in
            [&[][..], &["handling=strict, handling=lenient"], &["lenient"], &["handling"], &["handlings=lenient"]]
        {
            assert!(!prefers_lenient(&prefer(strict)), "{strict:?}");
        }
    }

    #[test]
    fn ignored_names_are_listed_so_that_they_cannot_break_the_header() {
        assert_eq!(listed(&[]), None);
        assert_eq!(listed(&["captoin", "a, b\r\n", "é"]).unwrap(), "captoin, a%2c%20b%0d%0a, %c3%a9");
        let long = "é".repeat(10_000);
        let many: Vec<&str> = vec![&long; 500];
        assert!(listed(&many).unwrap().len() < 8_000);
    }
}
