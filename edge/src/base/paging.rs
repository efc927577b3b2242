//! Lists in pages. A query reads one entry more than a page holds, which shows whether another page follows.

use crate::base::refusal::Refusal;
use contract::limits::PAGE_LENGTHS;
use contract::mistake::invalid_number;

/// Returns the number of entries that a client asks for in `limit`.
pub(crate) fn page_length(limit: Option<&str>, default: u32) -> Result<u32, Refusal> {
    let Some(text) = limit else { return Ok(default) };
    let (least, most) = PAGE_LENGTHS.into_inner();
    let length = text.parse().ok().filter(|length| (least..=most).contains(length));
    let explained = || invalid_number("limit", text, Some((least.into(), most.into())));
    length.ok_or_else(|| Refusal::malformed(explained()).with_field("limit"))
}

/// Returns where a page begins, if there is a cursor.
pub(crate) fn start<T>(cursor: Option<&str>, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Refusal> {
    let invalid = || {
        let detail = "`cursor` is invalid. Send the `next_cursor` of the previous page.";
        Refusal::malformed(detail).with_field("cursor")
    };
    cursor.map(|cursor| parse(cursor).ok_or_else(invalid)).transpose()
}

/// Truncates the entries to one page, and returns the cursor of its last entry if another page follows.
pub(crate) fn cut<T, Cursor>(entries: &mut Vec<T>, length: u32, cursor: impl Fn(&T) -> Cursor) -> Option<Cursor> {
    let has_more = truncate(entries, length);
    entries.last().filter(|_| has_more).map(cursor)
}

/// Truncates the entries to one page, and returns whether there were more.
pub(crate) fn truncate<T>(entries: &mut Vec<T>, length: u32) -> bool {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let has_more = entries.len() > length;
    entries.truncate(length);
    has_more
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_pages_together_are_the_list(entries in 0_usize..60, length in 1_u32..20) {
            let all: Vec<usize> = (0..entries).collect();
            let (mut listed, mut begin) = (Vec::new(), Some(0));
            while let Some(from) = begin {
                let mut page: Vec<usize> =
                    all.iter().copied().skip(from).take(length as usize + 1).collect();
                let next = cut(&mut page, length, |last| (last + 1).to_string());
                prop_assert!(page.len() <= length as usize);
                prop_assert_eq!(next.is_some(), from + page.len() < entries);
                listed.extend(page);
                begin = start(next.as_deref(), |text| text.parse().ok()).unwrap();
            }
            prop_assert_eq!(listed, all);
        }
    }

    #[test]
    fn an_invalid_cursor_is_refused_and_a_missing_one_is_none() {
        let parse = |text: &str| text.parse::<u32>().ok();
        assert!(start(Some("x"), parse).is_err());
        assert_eq!(start(None, parse).unwrap(), None);
    }
}
