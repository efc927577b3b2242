//! The headers of a file's answer: what it is, who may keep it and for how long, and which pages may use it.

use super::file::File;
use super::range::Selected;
use axum::http::header::{
    ACCEPT_RANGES, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderName, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// What stands behind an address never changes, so a browser may keep it. Caches that many people share may hold it for
/// a minute: what is taken down is gone from them by then.
const PUBLIC: &str = "public, max-age=31536000, s-maxage=60, immutable";
const PRIVATE: &str = "private, no-store";

/// Lets the players of every site read it. Nobody's rights are in play: whatever carries this is for everybody.
pub fn add_open_to_all(headers: &mut HeaderMap) {
    let exposed = "Accept-Ranges, Content-Length, Content-Range, ETag, X-Request-Id";
    for (name, value) in [
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (ACCESS_CONTROL_EXPOSE_HEADERS, exposed),
        (CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// What a browser asks for before it lets a player send a range.
pub fn preflight() -> HeaderMap {
    let mut headers = HeaderMap::new();
    add_open_to_all(&mut headers);
    for (name, value) in [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, OPTIONS"),
        (
            ACCESS_CONTROL_ALLOW_HEADERS,
            "Range, If-Range, If-None-Match",
        ),
        (ACCESS_CONTROL_MAX_AGE, "86400"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
}

impl File {
    /// Status and headers of an answer that holds what was selected, or of a 304 where nothing is said to be.
    pub fn head(&self, selected: Option<Selected>, tag: Option<&str>) -> (StatusCode, HeaderMap) {
        let mut headers = self.common(tag);
        let Some(selected) = selected else {
            return (StatusCode::NOT_MODIFIED, headers);
        };
        let size = self.size_bytes;
        let mut set = |name: HeaderName, value: String| {
            // Digits and words of ours always are a header's value.
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        };
        let status = match selected {
            Selected::Whole => {
                set(CONTENT_LENGTH, size.to_string());
                StatusCode::OK
            }
            Selected::Part { first, last } => {
                set(CONTENT_LENGTH, (last - first + 1).to_string());
                set(CONTENT_RANGE, format!("bytes {first}-{last}/{size}"));
                StatusCode::PARTIAL_CONTENT
            }
            Selected::Nothing => {
                set(CONTENT_LENGTH, "0".to_owned());
                set(CONTENT_RANGE, format!("bytes */{size}"));
                return (StatusCode::RANGE_NOT_SATISFIABLE, headers);
            }
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        (status, headers)
    }

    fn common(&self, tag: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if self.is_public {
            add_open_to_all(&mut headers);
            headers.insert(CACHE_CONTROL, HeaderValue::from_static(PUBLIC));
        } else {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static(PRIVATE));
            headers.insert(VARY, HeaderValue::from_static("Authorization, Cookie"));
            let same_site = HeaderValue::from_static("same-site");
            headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, same_site);
        }
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        if let Some(Ok(tag)) = tag.map(HeaderValue::from_str) {
            headers.insert(ETAG, tag);
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(is_public: bool) -> File {
        File {
            object_key: String::new(),
            size_bytes: 100,
            content_type: "video/mp4",
            is_public,
        }
    }

    #[test]
    fn a_part_says_which_and_of_how_much() {
        let part = Selected::Part {
            first: 10,
            last: 19,
        };
        let (status, headers) = file(true).head(Some(part), Some("\"t\""));
        assert_eq!(status, 206);
        assert_eq!(headers[CONTENT_RANGE], "bytes 10-19/100");
        assert_eq!(headers[CONTENT_LENGTH], "10");
        let (status, headers) = file(true).head(Some(Selected::Nothing), Some("\"t\""));
        assert_eq!(
            (status.as_u16(), &headers[CONTENT_RANGE]),
            (416, &HeaderValue::from_static("bytes */100"))
        );
    }

    #[test]
    fn shared_caches_hold_what_is_public_for_a_minute_at_most() {
        let (_, headers) = file(true).head(Some(Selected::Whole), Some("\"t\""));
        let policy = headers[CACHE_CONTROL].to_str().unwrap();
        let shared = policy
            .split(", ")
            .find_map(|rule| rule.strip_prefix("s-maxage="));
        assert!(shared.unwrap().parse::<u32>().unwrap() <= 60);
    }

    #[test]
    fn what_is_private_is_kept_by_nobody_and_read_by_no_other_site() {
        for selected in [None, Some(Selected::Whole), Some(Selected::Nothing)] {
            let (_, headers) = file(false).head(selected, Some("\"t\""));
            assert_eq!(headers[CACHE_CONTROL], "private, no-store");
            assert!(!headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN));
        }
    }

    #[test]
    fn unchanged_tells_no_length() {
        let (status, headers) = file(true).head(None, Some("\"t\""));
        assert_eq!(
            (status.as_u16(), &headers[ETAG]),
            (304, &HeaderValue::from_static("\"t\""))
        );
        assert!(!headers.contains_key(CONTENT_LENGTH) && !headers.contains_key(CONTENT_TYPE));
    }
}
