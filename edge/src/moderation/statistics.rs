//! The decisions of a month, for reports about moderation.

use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use contract::api::{AppealCounts, DecisionAction, DecisionCount, ModerationStatistics};
use serde::Deserialize;
use std::cmp::Reverse;

/// A month in UTC, such as `2026-11`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Month(String);

impl Month {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let is_number = |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_month = is_number(year, 4) && is_number(month, 2) && ("01"..="12").contains(&month);
        is_month.then(|| Self(text.to_owned()))
    }
}

#[derive(Deserialize)]
struct MonthRow {
    month: String,
}

#[derive(Clone, Debug, Deserialize)]
struct CountRow {
    name: String,
    policy_code: String,
    waited_seconds: i64,
    number: u64,
}

/// The name of the month `?1`, or of the month of the time `?2`.
const MONTH: &str = "coalesce(?1, strftime('%Y-%m', ?2, 'unixepoch'))";

/// Returns the statistics of the month, by default of the current one.
pub(crate) async fn of_month(
    database: &impl Database,
    month: Option<&Month>,
    now: UnixSeconds,
) -> Result<ModerationStatistics, DatabaseError> {
    let month = month.map(|month| month.0.as_str());
    let bound = |sql: String| Statement::new(sql).bind(month).bind(now);
    let mut batch = Batch::default();
    let name = batch.query::<MonthRow>(bound(format!("SELECT {MONTH} AS month")));
    let counts = batch.query::<CountRow>(bound(format!(
        "SELECT name, policy_code, waited_seconds, number FROM monthly_counts WHERE month = {MONTH}
         ORDER BY name, policy_code, waited_seconds"
    )));
    let answers = database.run(batch).await?;
    let name = answers.first(name)?.ok_or_else(|| DatabaseError::Shape("no month".to_owned()))?;
    let counts = answers.all(counts)?;
    let number = |name: &str| counts.iter().find(|row| row.name == name).map_or(0, |row| row.number);
    Ok(ModerationStatistics {
        success: true,
        month: name.month,
        decisions: decisions(&counts),
        automatic_rejections: number("automatic_rejection"),
        appeals: AppealCounts {
            made: number("appeal_made"),
            granted: number("appeal_granted"),
            rejected: number("appeal_rejected"),
        },
    })
}

/// Returns the decisions by action, and the most frequent policies first. The rows of an action and a policy follow one
/// another, ordered by the time.
fn decisions(counts: &[CountRow]) -> Vec<DecisionCount> {
    let of_one = |one: &CountRow, other: &CountRow| (&one.name, &one.policy_code) == (&other.name, &other.policy_code);
    let groups = counts.chunk_by(of_one);
    let mut decisions: Vec<DecisionCount> = groups
        .filter_map(|rows| {
            let first = rows.first()?;
            Some(DecisionCount {
                action: DecisionAction::named(&first.name)?,
                policy_code: Some(first.policy_code.clone()).filter(|code| !code.is_empty()),
                number: rows.iter().map(|row| row.number).sum(),
                median_seconds: median(rows),
            })
        })
        .collect();
    decisions.sort_by_key(|count| (count.action.as_str(), Reverse(count.number)));
    decisions
}

/// Returns the time in the middle of those that somebody had waited.
fn median(rows: &[CountRow]) -> Option<u64> {
    let waited = || rows.iter().filter_map(|row| Some((u64::try_from(row.waited_seconds).ok()?, row.number)));
    let middle = waited().map(|(_, number)| number).sum::<u64>().div_ceil(2);
    let mut seen = 0;
    let reached = |(_, number): &(u64, u64)| {
        seen += number;
        seen >= middle
    };
    waited().find(reached).map(|(seconds, _)| seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_of_those_who_waited() {
        let row = |waited_seconds, number| CountRow {
            name: "reject".to_owned(),
            policy_code: "violence".to_owned(),
            waited_seconds,
            number,
        };
        for (rows, expected) in [
            (vec![row(-1, 9)], None),
            (vec![row(-1, 9), row(30, 1)], Some(30)),
            (vec![row(10, 1), row(20, 1), row(30, 1), row(40, 1)], Some(20)),
            (vec![row(10, 1), row(20, 5)], Some(20)),
            (vec![row(10, 5), row(20, 1)], Some(10)),
        ] {
            assert_eq!(median(&rows), expected, "{rows:?}");
        }
    }

    #[test]
    fn a_month_has_a_year_and_a_number() {
        for month in ["2026-01", "2026-12", "0000-01"] {
            assert_eq!(Month::parse(month), Some(Month(month.to_owned())));
        }
        for other in ["2026-00", "2026-13", "2026-1", "26-01", "2026-011", "2026/01", "2026-1\u{661}", "+026-01", ""] {
            assert_eq!(Month::parse(other), None, "{other}");
        }
    }
}
