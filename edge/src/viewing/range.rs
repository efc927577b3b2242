//! The bytes that a `Range` header requests (RFC 9110, section 14).
//!
//! Only single ranges are served. For several ranges the whole file is sent, which every client must expect; players
//! never request several.

/// The bytes of a file to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteSelection {
    Whole,
    /// A range that includes the first and the last byte.
    Range {
        first: u64,
        last: u64,
    },
    /// The range starts after the end of the file.
    Unsatisfiable,
}

/// Returns the bytes that the header selects from a file of this size. A malformed header or one in another unit is
/// ignored.
pub(crate) fn select(header: &str, size: u64) -> ByteSelection {
    let range = header.split_once('=').filter(|(unit, _)| is_bytes(unit));
    match range.and_then(|(_, range)| RequestedRange::parse(range.trim())) {
        Some(range) => range.select(size),
        None => ByteSelection::Whole,
    }
}

fn is_bytes(unit: &str) -> bool {
    unit.trim().eq_ignore_ascii_case("bytes")
}

/// One range as the header states it.
#[derive(Clone, Copy)]
enum RequestedRange {
    From(u64),
    Between(u64, u64),
    /// The number of bytes at the end.
    Last(u64),
}

impl RequestedRange {
    /// Returns `None` for several ranges and for malformed ones.
    fn parse(range: &str) -> Option<Self> {
        let (first, last) = range.split_once('-')?;
        match (first, last) {
            ("", last) => Some(Self::Last(number(last)?)),
            (first, "") => Some(Self::From(number(first)?)),
            (first, last) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then_some(Self::Between(first, last))
            }
        }
    }

    fn select(self, size: u64) -> ByteSelection {
        let end = size.saturating_sub(1);
        let (first, last) = match self {
            Self::From(first) => (first, end),
            Self::Between(first, last) => (first, last.min(end)),
            Self::Last(0) => return ByteSelection::Unsatisfiable,
            Self::Last(length) => (size.saturating_sub(length), end),
        };
        if first < size { ByteSelection::Range { first, last } } else { ByteSelection::Unsatisfiable }
    }
}

/// Parses decimal digits. A number that does not fit becomes the largest one, which is beyond the end of every file.
fn number(text: &str) -> Option<u64> {
    let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_decimal.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::ByteSelection::{Range, Unsatisfiable, Whole};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_single_range_is_selected() {
        for (header, expected) in [
            ("bytes=0-", Range { first: 0, last: 99 }),
            ("bytes=0-0", Range { first: 0, last: 0 }),
            ("bytes=10-19", Range { first: 10, last: 19 }),
            ("bytes=90-1000", Range { first: 90, last: 99 }),
            ("bytes=-1", Range { first: 99, last: 99 }),
            ("bytes=-1000", Range { first: 0, last: 99 }),
            ("Bytes = 5-5", Range { first: 5, last: 5 }),
            ("bytes=1-99999999999999999999999", Range { first: 1, last: 99 }),
        ] {
            assert_eq!(select(header, 100), expected, "{header}");
        }
    }

    #[test]
    fn a_range_after_the_end_is_unsatisfiable() {
        for header in ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(select(header, 100), Unsatisfiable, "{header}");
        }
        assert_eq!(select("bytes=0-", 0), Unsatisfiable);
    }

    #[test]
    fn several_ranges_and_malformed_ones_select_the_whole_file() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=5-4",
            "bytes=a-b",
            "bytes=+1-2",
            "bytes=1 - 2",
            "bytes=0-1,5-6",
            "bytes=0-,",
            "seconds=0-1",
            "bytes=--1",
        ] {
            assert_eq!(select(header, 100), Whole, "{header}");
        }
    }

    proptest! {
        #[test]
        fn no_header_selects_a_byte_outside_the_file(header in ".{0,40}", size in 0_u64..1 << 53) {
            check_within(select(&header, size), size)?;
        }

        #[test]
        fn no_range_selects_a_byte_outside_the_file(
            first in proptest::option::of(any::<u64>()), last in proptest::option::of(any::<u64>()), size in 0_u64..1 << 53,
        ) {
            let text = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
            check_within(select(&format!("bytes={}-{}", text(first), text(last)), size), size)?;
        }

        #[test]
        fn a_range_within_the_file_is_selected_as_requested(
            size in 1_u64..1 << 53, one in any::<u64>(), other in any::<u64>(),
        ) {
            let (first, last) = ((one % size).min(other % size), (one % size).max(other % size));
            prop_assert_eq!(select(&format!("bytes={first}-{last}"), size), Range { first, last });
        }
    }

    fn check_within(selection: ByteSelection, size: u64) -> Result<(), TestCaseError> {
        if let Range { first, last } = selection {
            prop_assert!(first <= last && last < size);
        }
        Ok(())
    }
}
