//! A list told page by page. Every list reads one entry more than a page holds, which tells whether another follows.

use crate::error::ApiError;

/// Where a page begins, if a cursor says so.
pub fn start<T>(
    cursor: Option<&str>,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, ApiError> {
    let wrong =
        || ApiError::malformed("`cursor` is not one that a page answered.").with_field("cursor");
    let parse = |cursor| parse(cursor).ok_or_else(wrong);
    cursor.map(parse).transpose()
}

/// Cuts what was read down to a page; the cursor of its last entry, if another page follows.
pub fn cut<T>(entries: &mut Vec<T>, length: u32, cursor: impl Fn(&T) -> String) -> Option<String> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let has_more = entries.len() > length;
    entries.truncate(length);
    entries.last().filter(|_| has_more).map(cursor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_pages_together_are_the_list(entries in 0_usize..60, length in 1_u32..20) {
            let all: Vec<usize> = (0..entries).collect();
            let (mut told, mut begin) = (Vec::new(), Some(0));
            while let Some(from) = begin {
                let mut page: Vec<usize> =
                    all.iter().copied().skip(from).take(length as usize + 1).collect();
                let next = cut(&mut page, length, |last| (last + 1).to_string());
                prop_assert!(page.len() <= length as usize);
                prop_assert!(next.is_none() || !page.is_empty());
                told.extend(page);
                begin = start(next.as_deref(), |text| text.parse().ok()).unwrap();
            }
            prop_assert_eq!(told, all);
        }
    }

    #[test]
    fn a_wrong_cursor_is_refused_and_none_is_none() {
        let parse = |text: &str| text.parse::<u32>().ok();
        assert!(start(Some("x"), parse).is_err());
        assert_eq!(start(None, parse).unwrap(), None);
    }
}
