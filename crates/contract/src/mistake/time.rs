//! Sentences about times: dates and milliseconds where Unix seconds are wanted, the past, and clock times.

use super::{sentence, shown};
use crate::{clock_seconds, clock_time};

/// A larger number is no time in seconds that anybody means: the year is 5138.
const MAX_SECONDS: u64 = 100_000_000_000;
/// A smaller number, below the year 1973, is rather a delay.
const MAX_DELAY: u64 = 100_000_000;
const DAY: u64 = 86_400;
/// The offsets of time zones, and the steps between them.
const MAX_OFFSET: u64 = 14 * 3_600;
const OFFSET_STEP: u64 = 900;

/// Explains a value that is not a Unix time in whole seconds. `now` is 0 if it is not known.
pub fn invalid_unix_time(name: &str, received: &str, now: u64) -> String {
    let value = shown(received);
    let text = received.trim().trim_matches(['"', '\'']);
    if let Some(seconds) = scaled(text) {
        return sentence(&[&value, " looks like ", unit(text), ". Send `", &seconds.to_string(), "`."]);
    }
    if let Some(date) = parse_date(text) {
        let seconds = date.seconds.to_string();
        return if date.has_zone {
            sentence(&[&value, " is a date. Send Unix seconds: `", &seconds, "`."])
        } else {
            sentence(&[&value, " is a date without a time zone. Send Unix seconds: `", &seconds, "` if it is in UTC."])
        };
    }
    if let Some(whole) = whole_seconds(text) {
        return sentence(&[
            &value,
            " is not a whole number. Send `",
            name,
            "` in whole seconds: `",
            &whole.to_string(),
            "`.",
        ]);
    }
    let example = ["such as `", &((now + DAY) / 3_600 * 3_600).to_string(), "`"].concat();
    let example = if now == 0 { "as `date +%s` prints them" } else { &example };
    sentence(&[&value, " is not a Unix time. Send `", name, "` in seconds since 1970, ", example, "."])
}

/// The times ahead at which a publication may be scheduled, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    pub least: u64,
    pub most: u64,
}

/// Explains a publication time that is too early or too late.
pub fn wrong_schedule(time: u64, now: u64, ahead: Ahead) -> String {
    let (text, earliest) = (time.to_string(), [duration(ahead.least).as_str(), " from now"].concat());
    if let Some(seconds) = scaled(&text) {
        return sentence(&["`", &text, "` looks like ", unit(&text), ". Send `", &seconds.to_string(), "`."]);
    }
    if time < MAX_DELAY {
        let later = (now + time.clamp(ahead.least, ahead.most)).to_string();
        return sentence(&[
            "`",
            &text,
            "` is a time in 1970 or soon after. Send Unix seconds, such as `",
            &later,
            "`.",
        ]);
    }
    if time > now {
        let until = duration(time - now);
        return if time - now > ahead.most {
            sentence(&["This time is ", &until, " from now; the latest is ", &duration(ahead.most), " from now."])
        } else {
            sentence(&["This time is ", &until, " from now; the earliest is ", &earliest, "."])
        };
    }
    let past = now - time;
    let is_offset = (OFFSET_STEP..=MAX_OFFSET).contains(&past);
    let zone = if is_offset { " If you meant a local time, check its time zone: Unix time is in UTC." } else { "" };
    sentence(&["This time was ", &duration(past), " ago; the earliest is ", &earliest, ".", zone])
}

/// Explains a value that is not `hh:mm:ss`.
pub fn invalid_clock_time(name: &str, received: &str) -> String {
    let value = shown(received);
    let text = received.trim().trim_end_matches(['s', 'S']);
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let seconds = clock_seconds(whole).or_else(|| whole.parse().ok()).filter(|seconds| *seconds < 100 * 3_600);
    let meant = seconds.map_or_else(|| "00:00:05".to_owned(), clock_time);
    let such = if seconds.is_some() { "Send" } else { "Send hours, minutes and seconds, such as" };
    sentence(&[&value, " is not `hh:mm:ss`. ", such, " `", &meant, "` as `", name, "`."])
}

/// Explains a time of the video past its end. `seconds` is the duration of the video.
pub fn past_the_end(name: &str, seconds: &str) -> String {
    sentence(&[
        "`",
        name,
        "` is past the end of the video, which is ",
        seconds,
        " seconds long. Choose an earlier time.",
    ])
}

/// Whether the number is rather one of milliseconds, microseconds or nanoseconds.
pub fn is_in_smaller_unit(number: u64) -> bool {
    number >= MAX_SECONDS
}

/// Returns the seconds in a number of milliseconds, microseconds or nanoseconds.
fn scaled(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    let seconds = [1_000, 1_000_000, 1_000_000_000].map(|divisor| number / divisor);
    (number >= MAX_SECONDS).then(|| seconds.into_iter().find(|seconds| *seconds < MAX_SECONDS)).flatten()
}

fn unit(text: &str) -> &'static str {
    match text.len() {
        ..15 => "milliseconds",
        15..18 => "microseconds",
        _ => "nanoseconds",
    }
}

/// Returns the seconds that a number with quotes, spaces, a sign or a fraction means.
fn whole_seconds(text: &str) -> Option<u64> {
    let text = text.trim().trim_start_matches('+');
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = fraction.bytes().all(|byte| byte.is_ascii_digit());
    whole.parse().ok().filter(|seconds| is_number && *seconds < MAX_SECONDS)
}

/// Writes a duration in its largest unit that has at least two: `3 minutes`, `90 seconds`.
fn duration(seconds: u64) -> String {
    let units = [(DAY, " days"), (3_600, " hours"), (60, " minutes")];
    let unit = units.into_iter().find(|(length, _)| seconds >= 2 * length).unwrap_or((1, " seconds"));
    let count = seconds / unit.0;
    let name = if count == 1 { " second" } else { unit.1 };
    [count.to_string().as_str(), name].concat()
}

struct Date {
    seconds: u64,
    has_zone: bool,
}

/// Parses the dates that programs write: `2027-01-01`, and with a time and an offset after `T` or a space.
fn parse_date(text: &str) -> Option<Date> {
    let (day, rest) = text.split_at_checked(10)?;
    let &[year, month, day] = &numbers(day, '-')?[..] else { return None };
    let rest = rest.strip_prefix(['T', 't', ' ']).unwrap_or(rest);
    let zone_at = rest.find(['Z', 'z', '+', '-', ' ', 'U', 'G']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at_checked(zone_at)?;
    let clock = clock.split_once('.').map_or(clock, |(whole, _)| whole);
    let time = if clock.is_empty() { Vec::new() } else { numbers(clock, ':')? };
    let mut parts = time.into_iter();
    let mut next = |most| parts.next().map_or(Some(0), |number| (number <= most).then_some(number));
    let (hours, minutes, seconds) = (next(24)?, next(59)?, next(60)?);
    let is_date = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let at = days(year, month, day) * 86_400 + hours * 3_600 + minutes * 60 + seconds - offset(zone.trim())?;
    let seconds = u64::try_from(at).ok().filter(|_| is_date)?;
    Some(Date { seconds, has_zone: !zone.trim().is_empty() })
}

fn numbers(text: &str, separator: char) -> Option<Vec<i64>> {
    text.split(separator).map(|part| part.parse().ok().filter(|number| (0..10_000).contains(number))).collect()
}

/// Returns the seconds of an offset such as `Z`, `+01:00`, `-0800` or `UTC`.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.as_bytes().first() {
        None | Some(b'Z' | b'z') => return Some(0),
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return matches!(zone, "UTC" | "GMT").then_some(0),
    };
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = if minutes.is_empty() { 0 } else { minutes.parse::<i64>().ok()? };
    Some(sign * (hours.parse::<i64>().ok()? * 3_600 + minutes * 60))
}

/// Returns the days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March, so that a leap
/// day is the last of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: u64 = 1_798_000_000;
    const AHEAD: Ahead = Ahead { least: 300, most: 180 * DAY };

    #[test]
    fn a_value_that_is_no_unix_time_is_answered_with_the_seconds_that_were_meant() {
        for (text, expected) in [
            ("2027-01-01T00:00:00Z", "`2027-01-01T00:00:00Z` is a date. Send Unix seconds: `1798761600`."),
            ("2027-01-01T01:00:00+01:00", "`2027-01-01T01:00:00+01:00` is a date. Send Unix seconds: `1798761600`."),
            (
                "2026-12-31 16:00:00.000 -0800",
                "`2026-12-31 16:00:00.000 -0800` is a date. Send Unix seconds: `1798761600`.",
            ),
            ("1799999999000", "`1799999999000` looks like milliseconds. Send `1799999999`."),
            ("1799999999000000", "`1799999999000000` looks like microseconds. Send `1799999999`."),
            ("1799999999000000000", "`1799999999000000000` looks like nanoseconds. Send `1799999999`."),
            ("1798761600.5", "`1798761600.5` is not a whole number. Send `t` in whole seconds: `1798761600`."),
            ("\"1798761600\"", "`\"1798761600\"` is not a whole number. Send `t` in whole seconds: `1798761600`."),
            ("tomorrow", "`tomorrow` is not a Unix time. Send `t` in seconds since 1970, such as `1798084800`."),
            ("2027-13-01", "`2027-13-01` is not a Unix time. Send `t` in seconds since 1970, such as `1798084800`."),
        ] {
            assert_eq!(invalid_unix_time("t", text, NOW), expected);
        }
        let local = invalid_unix_time("t", "2027-01-01", NOW);
        assert!(local.contains("without a time zone") && local.contains("`1798761600`"), "{local}");
    }

    #[test]
    fn a_schedule_is_compared_with_now() {
        for (time, expected) in [
            (NOW - 180, "This time was 3 minutes ago; the earliest is 5 minutes from now."),
            (NOW - 1, "This time was 1 second ago; the earliest is 5 minutes from now."),
            (NOW + 120, "This time is 2 minutes from now; the earliest is 5 minutes from now."),
            (NOW + 181 * DAY, "This time is 181 days from now; the latest is 180 days from now."),
            (1_799_999_999_000, "`1799999999000` looks like milliseconds. Send `1799999999`."),
            (3_600, "`3600` is a time in 1970 or soon after. Send Unix seconds, such as `1798003600`."),
        ] {
            assert_eq!(wrong_schedule(time, NOW, AHEAD), expected);
        }
        assert!(wrong_schedule(NOW - 3_600, NOW, AHEAD).contains("check its time zone"));
    }

    #[test]
    fn a_clock_time_is_answered_with_the_one_that_was_meant() {
        for (text, meant) in [
            ("0:05", "00:00:05"),
            ("5", "00:00:05"),
            ("5.5s", "00:00:05"),
            ("1:02", "00:01:02"),
            ("0:00:75", "00:01:15"),
        ] {
            assert!(invalid_clock_time("thumbnail_time", text).contains(&format!("Send `{meant}`")), "{text}");
        }
        assert!(invalid_clock_time("thumbnail_time", "middle").contains("such as `00:00:05`"));
    }

    proptest! {
        #[test]
        fn a_date_is_the_day_that_the_calendar_counts(day in 0..2_932_896_i64) {
            // The civil date of a day, by repeated subtraction of whole years and months.
            let (mut left, mut year) = (day, 1970);
            let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            while left >= 365 + i64::from(is_leap(year)) {
                left -= 365 + i64::from(is_leap(year));
                year += 1;
            }
            let mut month = 1;
            for length in [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
                if left < length {
                    break;
                }
                left -= length;
                month += 1;
            }
            prop_assert_eq!(days(year, month, left + 1), day);
        }
    }
}
