//! Writes Unix seconds as dates, in UTC: for programs (RFC 3339) and for people.
//!
//! The library only finds the date. Its formatter would add 53 KiB to the gzipped Worker, for these three forms.

use crate::base::unix_seconds::UnixSeconds;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Returns the time in the form `2026-11-20T23:17:11Z`.
pub(super) fn rfc3339(time: UnixSeconds) -> String {
    let at = utc(time);
    let (year, month, day) = (at.year(), at.month(), at.day());
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", at.hour(), at.minute(), at.second())
}

/// Returns the day in the form `20 November 2026`.
pub(super) fn date_for_people(time: UnixSeconds) -> String {
    let at = utc(time);
    let month = usize::try_from(at.month() - 1).ok().and_then(|index| MONTHS.get(index)).copied();
    format!("{} {} {}", at.day(), month.unwrap_or_default(), at.year())
}

/// Returns the minute in the form `20 November 2026 at 23:17 UTC`.
pub(super) fn date_and_time_for_people(time: UnixSeconds) -> String {
    let at = utc(time);
    format!("{} at {:02}:{:02} UTC", date_for_people(time), at.hour(), at.minute())
}

/// Every stored time is before the year 9999, in which the library's times end.
fn utc(time: UnixSeconds) -> DateTime {
    let seconds = i64::try_from(time.0).unwrap_or(i64::MAX);
    Offset::UTC.to_datetime(Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_are_written_in_rfc_3339() {
        for (time, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (1_800_000_000, "2027-01-15T08:00:00Z"),
            (1_800_005_025, "2027-01-15T09:23:45Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_207_199, "9999-12-30T21:59:59Z"),
        ] {
            assert_eq!(rfc3339(UnixSeconds(time)), expected);
        }
    }

    #[test]
    fn each_month_has_its_name() {
        let days = (0..365).map(|day| date_for_people(UnixSeconds(day * 86_400)));
        let first_days: Vec<_> = days.filter(|date| date.starts_with("1 ")).collect();
        let expected = [
            "1 January 1970",
            "1 February 1970",
            "1 March 1970",
            "1 April 1970",
            "1 May 1970",
            "1 June 1970",
            "1 July 1970",
            "1 August 1970",
            "1 September 1970",
            "1 October 1970",
            "1 November 1970",
            "1 December 1970",
        ];
        assert_eq!(first_days, expected);
        assert_eq!(date_for_people(UnixSeconds(1_800_000_000)), "15 January 2027");
        assert_eq!(date_and_time_for_people(UnixSeconds(1_800_000_059)), "15 January 2027 at 08:00 UTC");
    }

    #[test]
    fn each_day_follows_the_one_before() {
        let days = (0..200_000_u64).map(|day| rfc3339(UnixSeconds(day * 86_400)));
        assert!(days.is_sorted());
        assert_eq!(rfc3339(UnixSeconds(199_999 * 86_400)), "2517-07-31T00:00:00Z");
    }
}
