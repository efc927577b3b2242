//! Which bytes a `Range` header asks for (RFC 9110, section 14).
//!
//! One range is served. Several at once are not: the whole file is sent instead, which every client must expect, and no
//! player asks for them.

/// What to send of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selected {
    Whole,
    /// From the first byte to the last, both included.
    Part {
        first: u64,
        last: u64,
    },
    /// It lies behind the end.
    Nothing,
}

/// What the header asks for of a file of that size. One that is malformed or in another unit asks for nothing special.
pub fn select(header: &str, size: u64) -> Selected {
    let asked = header.split_once('=').filter(|(unit, _)| is_bytes(unit));
    match asked.and_then(|(_, set)| Asked::parse(set.trim())) {
        Some(asked) => asked.of(size),
        None => Selected::Whole,
    }
}

fn is_bytes(unit: &str) -> bool {
    unit.trim().eq_ignore_ascii_case("bytes")
}

/// One range as it was asked for.
#[derive(Clone, Copy)]
enum Asked {
    From(u64),
    Between(u64, u64),
    /// So many bytes before the end.
    Last(u64),
}

impl Asked {
    /// `None` for several ranges, and for what is none.
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

    fn of(self, size: u64) -> Selected {
        let end = size.saturating_sub(1);
        let (first, last) = match self {
            Self::From(first) => (first, end),
            Self::Between(first, last) => (first, last.min(end)),
            Self::Last(0) => return Selected::Nothing,
            Self::Last(length) => (size.saturating_sub(length), end),
        };
        if first < size {
            Selected::Part { first, last }
        } else {
            Selected::Nothing
        }
    }
}

/// Decimal digits alone; a number beyond every file is as good as the largest.
fn number(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::Selected::{Nothing, Part, Whole};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_range_is_served() {
        for (header, expected) in [
            ("bytes=0-", Part { first: 0, last: 99 }),
            ("bytes=0-0", Part { first: 0, last: 0 }),
            (
                "bytes=10-19",
                Part {
                    first: 10,
                    last: 19,
                },
            ),
            (
                "bytes=90-1000",
                Part {
                    first: 90,
                    last: 99,
                },
            ),
            (
                "bytes=-1",
                Part {
                    first: 99,
                    last: 99,
                },
            ),
            ("bytes=-1000", Part { first: 0, last: 99 }),
            ("Bytes = 5-5", Part { first: 5, last: 5 }),
            (
                "bytes=1-99999999999999999999999",
                Part { first: 1, last: 99 },
            ),
        ] {
            assert_eq!(select(header, 100), expected, "{header}");
        }
    }

    #[test]
    fn what_lies_behind_the_end_is_nothing() {
        for header in [
            "bytes=100-",
            "bytes=100-200",
            "bytes=-0",
            "bytes=99999999999999999999999-",
        ] {
            assert_eq!(select(header, 100), Nothing, "{header}");
        }
        assert_eq!(select("bytes=0-", 0), Nothing);
    }

    #[test]
    fn several_ranges_and_what_is_none_ask_for_the_whole() {
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
        fn no_header_selects_a_byte_outside(header in ".{0,40}", size in 0_u64..1 << 53) {
            within(select(&header, size), size)?;
        }

        #[test]
        fn no_range_selects_a_byte_outside(
            first in proptest::option::of(any::<u64>()), last in proptest::option::of(any::<u64>()), size in 0_u64..1 << 53,
        ) {
            let text = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
            within(select(&format!("bytes={}-{}", text(first), text(last)), size), size)?;
        }

        #[test]
        fn a_range_inside_is_served_as_asked(size in 1_u64..1 << 53, one in any::<u64>(), other in any::<u64>()) {
            let (first, last) = ((one % size).min(other % size), (one % size).max(other % size));
            prop_assert_eq!(select(&format!("bytes={first}-{last}"), size), Part { first, last });
        }
    }

    fn within(selected: Selected, size: u64) -> Result<(), TestCaseError> {
        if let Part { first, last } = selected {
            prop_assert!(first <= last && last < size);
        }
        Ok(())
    }
}
