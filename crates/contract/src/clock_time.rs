//! Clock times: hours, minutes and seconds with colons between them.

/// Formats seconds as `hh:mm:ss`.
pub fn clock_time(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Parses `hh:mm:ss` into seconds: two digits each, and less than 60 minutes and seconds.
pub fn parse_clock_time(text: &str) -> Option<u32> {
    let &[_, _, b':', b'0'..=b'5', _, b':', b'0'..=b'5', _] = text.as_bytes() else {
        return None;
    };
    u32::try_from(clock_seconds(text)?).ok()
}

/// Parses `mm:ss` or `h:mm:ss` into seconds. Accepts any number of digits, as in files of other programs.
pub fn clock_seconds(text: &str) -> Option<u64> {
    let numbers: Vec<u64> = text.split(':').map(digits).collect::<Option<_>>()?;
    let seconds = numbers.iter().try_fold(0_u64, |sum, number| sum.checked_mul(60)?.checked_add(*number));
    seconds.filter(|_| (2..=3).contains(&numbers.len()))
}

/// Parses digits only: no sign.
fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_clock_time_has_two_digits_each() {
        assert_eq!((parse_clock_time("01:02:05"), parse_clock_time("99:59:59")), (Some(3_725), Some(359_999)));
        for text in [
            "",
            "5",
            "00:05",
            "0:00:05",
            "00:0:005",
            "000:00:5",
            "00:60:00",
            "00:00:60",
            "00:00:0a",
            "+0:00:05",
            "00:00:05.5",
            "::::::::",
            "00::0:05",
            "é:00:05",
            "00:00:é",
            "00:00:05 ",
        ] {
            assert_eq!(parse_clock_time(text), None, "{text}");
        }
    }

    #[test]
    fn other_programs_leave_out_hours_and_zeros() {
        assert_eq!([clock_seconds("1:2"), clock_seconds("1:02:75")], [Some(62), Some(3_795)]);
        for text in [
            "",
            "5",
            ":5",
            "1:",
            "0:0:0:1",
            "-1:00",
            "1:+1",
            "1:1.5",
            "99999999999999999999:00",
            "9999999999999999:0:0",
        ] {
            assert_eq!(clock_seconds(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_was_formatted_is_parsed(seconds in 0..360_000_u32) {
            prop_assert_eq!(parse_clock_time(&clock_time(seconds.into())), Some(seconds));
        }

        #[test]
        fn any_text_is_parsed_or_refused(text in "[0-9:é+.]{0,9}") {
            let seconds = parse_clock_time(&text);
            prop_assert!(seconds.is_none_or(|seconds| clock_time(seconds.into()) == text));
        }
    }
}
