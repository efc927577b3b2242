//! The headers of a file's response: its type, length and entity tag, and the sites that may use it.

use super::range::ByteSelection;
use super::stored_file::ServableFile;
use axum::http::header::{
    ACCEPT_RANGES, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG,
    HeaderName, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// Adds the headers that let the players of every site read a public file. No credentials are involved, so this is
/// safe.
pub(crate) fn add_open_to_all(headers: &mut HeaderMap) {
    let exposed = "Accept-Ranges, Content-Length, Content-Range, ETag, X-Request-Id";
    for (name, value) in [
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (ACCESS_CONTROL_EXPOSE_HEADERS, exposed),
        (CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// Returns the headers that a browser requires before a player of another site may request a range.
pub(crate) fn preflight() -> HeaderMap {
    let mut headers = HeaderMap::new();
    add_open_to_all(&mut headers);
    for (name, value) in [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, OPTIONS"),
        (ACCESS_CONTROL_ALLOW_HEADERS, "Range, If-Range, If-None-Match"),
        (ACCESS_CONTROL_MAX_AGE, "86400"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
}

impl ServableFile {
    /// Returns the status and headers of a response with the selected bytes, or of a 304 if there is no selection.
    pub(crate) fn head(&self, selection: Option<ByteSelection>) -> (StatusCode, HeaderMap) {
        let mut headers = self.common();
        let Some(selection) = selection else {
            return (StatusCode::NOT_MODIFIED, headers);
        };
        let size = self.size_bytes;
        let mut set = |name: HeaderName, value: String| {
            // The values consist of digits and fixed words, so they are always valid header values.
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        };
        let status = match selection {
            ByteSelection::Whole => {
                set(CONTENT_LENGTH, size.to_string());
                StatusCode::OK
            }
            ByteSelection::Range { first, last } => {
                set(CONTENT_LENGTH, (last - first + 1).to_string());
                set(CONTENT_RANGE, format!("bytes {first}-{last}/{size}"));
                StatusCode::PARTIAL_CONTENT
            }
            ByteSelection::Unsatisfiable => {
                set(CONTENT_LENGTH, "0".to_owned());
                set(CONTENT_RANGE, format!("bytes */{size}"));
                return (StatusCode::RANGE_NOT_SATISFIABLE, headers);
            }
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        (status, headers)
    }

    fn common(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if self.is_public {
            add_open_to_all(&mut headers);
        } else {
            headers.insert(VARY, HeaderValue::from_static("Authorization, Cookie"));
            let same_site = HeaderValue::from_static("same-site");
            headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, same_site);
        }
        if self.is_unlisted {
            headers.insert(ROBOTS, HeaderValue::from_static("noindex"));
        }
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        // Hexadecimal digits in quotes are always a valid header value.
        if let Ok(tag) = HeaderValue::from_str(&self.entity_tag) {
            headers.insert(ETAG, tag);
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::ContentUuid;
    use crate::viewing::cache_rules::CacheTags;

    fn file(is_public: bool) -> ServableFile {
        ServableFile {
            object_key: String::new(),
            size_bytes: 100,
            content_type: "video/mp4",
            entity_tag: "\"t\"".to_owned(),
            is_public,
            is_unlisted: false,
            tags: CacheTags::of(&ContentUuid::new("c"), 1),
        }
    }

    #[test]
    fn a_partial_answer_states_the_range_and_the_size() {
        let range = ByteSelection::Range { first: 10, last: 19 };
        let (status, headers) = file(true).head(Some(range));
        assert_eq!(status, 206);
        assert_eq!(headers[CONTENT_RANGE], "bytes 10-19/100");
        assert_eq!(headers[CONTENT_LENGTH], "10");
        let (status, headers) = file(true).head(Some(ByteSelection::Unsatisfiable));
        assert_eq!((status.as_u16(), &headers[CONTENT_RANGE]), (416, &HeaderValue::from_static("bytes */100")));
    }

    #[test]
    fn a_private_file_is_not_shared_with_other_sites() {
        for selection in [None, Some(ByteSelection::Whole), Some(ByteSelection::Unsatisfiable)] {
            let (_, headers) = file(false).head(selection);
            assert_eq!(headers[VARY], "Authorization, Cookie");
            assert!(!headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN));
        }
    }

    #[test]
    fn a_304_has_no_length_and_no_type() {
        let (status, headers) = file(true).head(None);
        assert_eq!((status.as_u16(), &headers[ETAG]), (304, &HeaderValue::from_static("\"t\"")));
        assert!(!headers.contains_key(CONTENT_LENGTH) && !headers.contains_key(CONTENT_TYPE));
    }

    #[test]
    fn a_public_file_may_be_read_by_every_site() {
        let (_, headers) = file(true).head(Some(ByteSelection::Whole));
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        assert_eq!(headers[CROSS_ORIGIN_RESOURCE_POLICY], "cross-origin");
        assert_eq!(
            (&headers[CONTENT_TYPE], &headers[CONTENT_LENGTH]),
            (&HeaderValue::from_static("video/mp4"), &HeaderValue::from_static("100"),)
        );
    }

    #[test]
    fn a_preflight_allows_ranges() {
        let headers = preflight();
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_METHODS], "GET, HEAD, OPTIONS");
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_HEADERS], "Range, If-Range, If-None-Match");
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    }
}
