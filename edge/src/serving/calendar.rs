//! Writes Unix seconds as dates, in UTC: for programs (RFC 3339) and for people.

use crate::unix_seconds::UnixSeconds;
use contract::clock_time;

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

/// A day of the Gregorian calendar.
struct Date {
    year: u64,
    /// 0 for January to 11 for December.
    month_index: u64,
    day: u64,
}

/// Returns the time in the form `2026-11-20T23:17:11Z`.
pub(super) fn rfc3339(time: UnixSeconds) -> String {
    let Date { year, month_index, day } = Date::of(time);
    let (month, time) = (month_index + 1, clock_time(time.0 % 86_400));
    format!("{year:04}-{month:02}-{day:02}T{time}Z")
}

/// Returns the day in the form `20 November 2026`.
pub(super) fn date_for_people(time: UnixSeconds) -> String {
    let Date { year, month_index, day } = Date::of(time);
    let index = usize::try_from(month_index).unwrap_or_default();
    let month = MONTHS.get(index).copied().unwrap_or_default();
    format!("{day} {month} {year}")
}

/// Returns the minute in the form `20 November 2026 at 23:17 UTC`.
pub(super) fn date_and_time_for_people(time: UnixSeconds) -> String {
    let minutes = time.0 / 60;
    format!("{} at {:02}:{:02} UTC", date_for_people(time), minutes / 60 % 24, minutes % 60)
}

impl Date {
    /// Counts in years that begin in March, so that the leap day is the last day of its year.
    fn of(time: UnixSeconds) -> Self {
        const DAYS_TO_1970: u64 = 719_468;
        const DAYS_OF_400_YEARS: u64 = 146_097;
        let days = time.0 / 86_400 + DAYS_TO_1970;
        let (era, day_of_era) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let months_since_march = (5 * day_of_year + 2) / 153;
        Self {
            year: era * 400 + year_of_era + u64::from(months_since_march >= 10),
            month_index: (months_since_march + 2) % 12,
            day: day_of_year - (153 * months_since_march + 2) / 5 + 1,
        }
    }
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
            (253_402_300_799, "9999-12-31T23:59:59Z"),
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
