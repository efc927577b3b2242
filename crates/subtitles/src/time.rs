//! The times of cues.

use contract::{clock_seconds, clock_time};

/// Parses a time with or without hours into milliseconds. WebVTT has a point before the milliseconds, and SubRip a
/// comma.
pub fn parse_time(text: &str) -> Option<u64> {
    let (clock, milliseconds) = text.split_once(['.', ','])?;
    let has_three_digits = milliseconds.len() == 3 && milliseconds.bytes().all(|byte| byte.is_ascii_digit());
    let milliseconds = milliseconds.parse().ok().filter(|_| has_three_digits)?;
    clock_seconds(clock)?.checked_mul(1000)?.checked_add(milliseconds)
}

/// Formats milliseconds in the form of WebVTT, with hours.
pub fn timestamp(ms: u64) -> String {
    format!("{}.{:03}", clock_time(ms / 1000), ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_three_digits_of_milliseconds() {
        for text in ["01:02.500", "00:01:02,500", "0:1:02.500"] {
            assert_eq!(parse_time(text), Some(62_500), "{text}");
        }
        for text in ["62.500", "01:02", "01:02.5", "01:02.+50", "-01:02.500", "1:1:1:1.000", "99999999999999999:00.000"]
        {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    #[test]
    fn a_minute_has_sixty_seconds() {
        assert_eq!([61_500, 119_999, 360_000_000].map(timestamp), ["00:01:01.500", "00:01:59.999", "100:00:00.000"]);
    }
}
