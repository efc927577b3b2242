//! Unix seconds as people and programs write them, in UTC.

/// A moment of the calendar.
struct Civil {
    year: u64,
    month: u64,
    day: u64,
    second_of_day: u64,
}

/// `2026-11-20T23:17:11Z`.
pub fn rfc3339(unix: u64) -> String {
    let Civil {
        year,
        month,
        day,
        second_of_day: second,
    } = civil(unix);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// `20 November 2026`.
pub fn date(unix: u64) -> String {
    let Civil {
        year, month, day, ..
    } = civil(unix);
    let month = match month {
        1 => "January",
        2 => "February",
        3 => "March",
        4 => "April",
        5 => "May",
        6 => "June",
        7 => "July",
        8 => "August",
        9 => "September",
        10 => "October",
        11 => "November",
        _ => "December",
    };
    format!("{day} {month} {year}")
}

/// The Gregorian calendar in years that begin in March, so that the leap day is the last of its year.
fn civil(unix: u64) -> Civil {
    const DAYS_TO_1970: u64 = 719_468;
    const DAYS_OF_400_YEARS: u64 = 146_097;
    let days = unix / 86_400 + DAYS_TO_1970;
    let (era, day_of_era) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let is_next_year = month >= 10;
    Civil {
        year: era * 400 + year_of_era + u64::from(is_next_year),
        month: if is_next_year { month - 9 } else { month + 3 },
        day: day_of_year - (153 * month + 2) / 5 + 1,
        second_of_day: unix % 86_400,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments_are_written_as_everybody_writes_them() {
        for (unix, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (1_800_000_000, "2027-01-15T08:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(rfc3339(unix), expected);
        }
        assert_eq!(date(1_800_000_000), "15 January 2027");
    }

    #[test]
    fn each_day_follows_the_one_before() {
        let days = (0..200_000_u64).map(|day| rfc3339(day * 86_400));
        assert!(days.is_sorted());
        assert_eq!(rfc3339(199_999 * 86_400), "2517-07-31T00:00:00Z");
    }
}
