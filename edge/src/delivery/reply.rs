//! What a request for a file is answered: the whole, a part, or that nothing changed (RFC 9110, sections 13 and 14).

use super::range::{self, Selected};
use crate::contents::entity_tag;

/// What a request says beside the address.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conditions<'a> {
    /// Only its headers are wanted.
    pub is_head: bool,
    pub range: Option<&'a str>,
    pub if_range: Option<&'a str>,
    pub if_none_match: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// What the client has is what there is.
    Unchanged,
    Send(Selected),
}

impl Conditions<'_> {
    /// Whether the file's tag has to be known before it is fetched.
    pub fn need_tag(self) -> bool {
        self.is_head || self.if_none_match.is_some() || self.if_range.is_some()
    }

    /// `tag` is the file's, where it is known.
    pub fn reply(self, size: u64, tag: Option<&str>) -> Reply {
        let is_known = |header: &str| tag.is_some_and(|tag| entity_tag::matches(header, tag));
        if self.if_none_match.is_some_and(is_known) {
            return Reply::Unchanged;
        }
        // A range of another version of the file would not fit to what the client has. Compared strongly: a date or
        // a weak tag never holds.
        let is_same = self.if_range.is_none_or(|one| Some(one.trim()) == tag);
        let range = self.range.filter(|_| is_same && !self.is_head);
        Reply::Send(range.map_or(Selected::Whole, |header| range::select(header, size)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "\"abc\"";
    const RANGE: Conditions<'static> = Conditions {
        is_head: false,
        range: Some("bytes=1-2"),
        if_range: None,
        if_none_match: None,
    };
    const PART: Reply = Reply::Send(Selected::Part { first: 1, last: 2 });
    const WHOLE: Reply = Reply::Send(Selected::Whole);

    fn reply(conditions: Conditions<'_>) -> Reply {
        conditions.reply(10, Some(TAG))
    }

    #[test]
    fn a_client_that_has_it_gets_nothing_again() {
        for header in [TAG, "W/\"abc\"", "\"x\", \"abc\"", "*"] {
            let if_none_match = Some(header);
            let has = Conditions {
                if_none_match,
                ..RANGE
            };
            assert_eq!(reply(has), Reply::Unchanged, "{header}");
        }
        let other = Conditions {
            if_none_match: Some("\"other\""),
            ..RANGE
        };
        assert_eq!(reply(other), PART);
    }

    #[test]
    fn a_range_is_served_only_of_the_version_that_the_client_knows() {
        let of = |if_range| reply(Conditions { if_range, ..RANGE });
        assert_eq!(of(None), PART);
        assert_eq!(of(Some(TAG)), PART);
        for other in ["\"other\"", "W/\"abc\"", "Fri, 20 Nov 2026 00:00:00 GMT"] {
            assert_eq!(of(Some(other)), WHOLE, "{other}");
        }
    }

    #[test]
    fn head_tells_of_the_whole() {
        let head = Conditions {
            is_head: true,
            ..RANGE
        };
        assert_eq!(reply(head), WHOLE);
    }

    #[test]
    fn whatever_depends_on_the_tag_asks_for_it() {
        assert!(!RANGE.need_tag());
        let (if_range, if_none_match) = (Some(TAG), Some(TAG));
        assert!(Conditions { if_range, ..RANGE }.need_tag());
        assert!(
            Conditions {
                if_none_match,
                ..RANGE
            }
            .need_tag()
        );
    }
}
