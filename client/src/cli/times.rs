//! Times as people write and read them.

use contract::mistake::{invalid_clock_time, invalid_unix_time, is_in_smaller_unit};
use jiff::Timestamp;

/// Parses a time with its offset, or Unix time in seconds.
pub(crate) fn parse_publication_time(text: &str) -> Result<u64, String> {
    if let Ok(seconds) = text.parse() {
        return if is_in_smaller_unit(seconds) { Err(invalid_unix_time("--publish-at", text, 0)) } else { Ok(seconds) };
    }
    let time: Timestamp = text.parse().map_err(|_| "write it as 2026-12-24T18:00:00Z or 2026-12-24T19:00:00+01:00")?;
    u64::try_from(time.as_second()).map_err(|_| "this is before 1970".to_owned())
}

/// Parses `hh:mm:ss` into seconds.
pub(crate) fn parse_clock_time(text: &str) -> Result<u32, String> {
    contract::parse_clock_time(text).ok_or_else(|| invalid_clock_time("--thumbnail-time", text))
}

/// Writes Unix time for people, in UTC.
pub(crate) fn utc(unix: u64) -> String {
    let time = i64::try_from(unix).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(|| unix.to_string(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_an_offset_or_is_a_number() {
        for text in ["1798135200", "2026-12-24T18:00:00Z", "2026-12-24T19:00:00+01:00", "2026-12-24 18:00:00Z"] {
            assert_eq!(parse_publication_time(text), Ok(1_798_135_200), "{text}");
        }
        for text in ["", "tomorrow", "2026-12-24", "2026-12-24T18:00:00", "-5", "1969-01-01T00:00:00Z"] {
            assert!(parse_publication_time(text).is_err(), "{text}");
        }
        let milliseconds = parse_publication_time("1798135200000");
        assert!(milliseconds.is_err_and(|text| text.ends_with("looks like milliseconds. Send `1798135200`.")));
        assert_eq!(utc(1_798_135_200), "2026-12-24T18:00:00Z");
        assert_eq!(utc(u64::MAX), u64::MAX.to_string());
    }

    #[test]
    fn another_form_of_a_clock_time_is_answered_with_an_example() {
        assert_eq!(parse_clock_time("01:02:05"), Ok(3_725));
        assert!(parse_clock_time("5").is_err_and(|text| text.contains("Send `00:00:05`")));
    }
}
