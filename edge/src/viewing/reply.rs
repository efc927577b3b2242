//! The reply to a request for a file: the whole file, a range, or 304 (RFC 9110, sections 13 and 14).

use super::range::{self, ByteSelection};
use crate::contents::entity_tag;
use axum::http::header::{HeaderName, IF_NONE_MATCH, IF_RANGE, RANGE};
use axum::http::{HeaderMap, Method};

/// The parts of a request, besides its URL, on which the reply depends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Conditions<'a> {
    /// Whether only the headers are requested.
    pub is_head: bool,
    pub range: Option<&'a str>,
    pub if_range: Option<&'a str>,
    pub if_none_match: Option<&'a str>,
}

impl<'a> Conditions<'a> {
    pub(crate) fn of(method: &Method, headers: &'a HeaderMap) -> Self {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        Self {
            is_head: *method == Method::HEAD,
            range: text(RANGE),
            if_range: text(IF_RANGE),
            if_none_match: text(IF_NONE_MATCH),
        }
    }

    /// Returns the conditions without the range. A cache in front of the Worker stores only whole files, and serves
    /// ranges from them.
    pub(crate) fn of_whole_file(self) -> Self {
        Self { range: None, ..self }
    }

    /// Whether the client already has the version with this tag.
    pub(crate) fn is_known(self, tag: &str) -> bool {
        self.if_none_match.is_some_and(|header| entity_tag::matches(header, tag))
    }

    /// Returns the bytes to send of a file of this size with this entity tag, or `None` if the client already has it.
    pub(crate) fn reply(self, size: u64, tag: &str) -> Option<ByteSelection> {
        if self.is_known(tag) {
            return None;
        }
        // A range of a different version would not fit the bytes that the client has. The comparison is strong: a date
        // or a weak tag never matches.
        let is_same_version = self.if_range.is_none_or(|one| one.trim() == tag);
        let range = self.range.filter(|_| is_same_version && !self.is_head);
        Some(range.map_or(ByteSelection::Whole, |header| range::select(header, size)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    const TAG: &str = "\"abc\"";
    const PART: Conditions<'static> =
        Conditions { is_head: false, range: Some("bytes=1-2"), if_range: None, if_none_match: None };
    const PARTIAL: Option<ByteSelection> = Some(ByteSelection::Range { first: 1, last: 2 });
    const WHOLE: Option<ByteSelection> = Some(ByteSelection::Whole);

    fn reply(conditions: Conditions<'_>) -> Option<ByteSelection> {
        conditions.reply(10, TAG)
    }

    #[test]
    fn the_conditions_are_in_the_headers() {
        let headers = HeaderMap::from_iter([
            (RANGE, HeaderValue::from_static("bytes=1-2")),
            (IF_RANGE, HeaderValue::from_static("\"a\"")),
            (IF_NONE_MATCH, HeaderValue::from_static("\"b\"")),
        ]);
        let conditions = Conditions::of(&Method::HEAD, &headers);
        assert!(conditions.is_head && !Conditions::of(&Method::GET, &headers).is_head);
        let (range, if_range) = (conditions.range, conditions.if_range);
        assert_eq!((range, if_range, conditions.if_none_match), (Some("bytes=1-2"), Some("\"a\""), Some("\"b\"")));
        assert_eq!(Conditions::of(&Method::GET, &HeaderMap::new()).range, None);
    }

    #[test]
    fn a_client_that_has_the_file_gets_304() {
        for header in [TAG, "W/\"abc\"", "\"x\", \"abc\"", "*"] {
            let conditions = Conditions { if_none_match: Some(header), ..PART };
            assert_eq!(reply(conditions), None, "{header}");
        }
        let other = Conditions { if_none_match: Some("\"other\""), ..PART };
        assert_eq!(reply(other), PARTIAL);
    }

    #[test]
    fn a_range_is_served_only_from_the_version_that_the_client_has() {
        let reply_if = |if_range| reply(Conditions { if_range, ..PART });
        assert_eq!(reply_if(None), PARTIAL);
        assert_eq!(reply_if(Some(TAG)), PARTIAL);
        for other in ["\"other\"", "W/\"abc\"", "Fri, 20 Nov 2026 00:00:00 GMT"] {
            assert_eq!(reply_if(Some(other)), WHOLE, "{other}");
        }
    }

    #[test]
    fn a_head_request_describes_the_whole_file() {
        let head = Conditions { is_head: true, ..PART };
        assert_eq!(reply(head), WHOLE);
    }

    #[test]
    fn behind_a_cache_a_file_is_sent_whole_or_not_at_all() {
        assert_eq!(reply(PART.of_whole_file()), WHOLE);
        assert_eq!(reply(Conditions { if_range: Some(TAG), ..PART }.of_whole_file()), WHOLE);
        let known = Conditions { if_none_match: Some(TAG), ..PART };
        assert_eq!(reply(known.of_whole_file()), None);
    }
}
