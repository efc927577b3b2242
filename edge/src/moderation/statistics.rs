//! The decisions of a month, for reports about moderation. Reads the month's decisions and no others.

use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use contract::api::{AppealCounts, DecisionAction, DecisionCount, ModerationStatistics};
use serde::Deserialize;

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

#[derive(Deserialize)]
struct DecisionRow {
    action: DecisionAction,
    policy_code: Option<String>,
    number: u64,
    median_seconds: Option<u64>,
}

#[derive(Deserialize)]
struct CountRow {
    name: String,
    number: u64,
}

/// The name of the month `?1`, or of the month of the time `?2`.
const MONTH: &str = "coalesce(?1, strftime('%Y-%m', ?2, 'unixepoch'))";

/// The decision in the middle is the median; those that waited come first.
const DECISIONS: &str = constcat::concat!(
    "WITH ranked AS (
         SELECT action, policy_code, waited_seconds,
             row_number() OVER (PARTITION BY action, policy_code ORDER BY waited_seconds IS NULL, waited_seconds)
                 AS place,
             count(waited_seconds) OVER (PARTITION BY action, policy_code) AS waited
         FROM decisions INDEXED BY decisions_by_time
         WHERE content_id IS NOT NULL AND decided_at_unix >= unixepoch(",
    MONTH,
    " || '-01') AND decided_at_unix < unixepoch(",
    MONTH,
    " || '-01', '+1 month'))
     SELECT action, policy_code, count(*) AS number,
         max(iif(place = (waited + 1) / 2, waited_seconds, NULL)) AS median_seconds
     FROM ranked GROUP BY action, policy_code ORDER BY action, number DESC, policy_code"
);

/// Returns the statistics of the month, by default of the current one.
pub(crate) async fn of_month(
    database: &impl Database,
    month: Option<&Month>,
    now: UnixSeconds,
) -> Result<ModerationStatistics, DatabaseError> {
    let month = month.map(|month| month.0.as_str());
    let bound = |sql: &str| Statement::new(sql.to_owned()).bind(month).bind(now);
    let mut batch = Batch::default();
    let name = batch.query::<MonthRow>(bound(&format!("SELECT {MONTH} AS month")));
    let decisions = batch.query::<DecisionRow>(bound(DECISIONS));
    let counts =
        batch.query::<CountRow>(bound(&format!("SELECT name, number FROM monthly_counts WHERE month = {MONTH}")));
    let answers = database.run(batch).await?;
    let name = answers.first(name)?.ok_or_else(|| DatabaseError::Shape("no month".to_owned()))?;
    let counts = answers.all(counts)?;
    let number = |name: &str| counts.iter().find(|row| row.name == name).map_or(0, |row| row.number);
    let decisions = answers.all(decisions)?.into_iter().map(|row| DecisionCount {
        action: row.action,
        policy_code: row.policy_code,
        number: row.number,
        median_seconds: row.median_seconds,
    });
    Ok(ModerationStatistics {
        success: true,
        month: name.month,
        decisions: decisions.collect(),
        automatic_rejections: number("automatic_rejection"),
        appeals: AppealCounts {
            made: number("appeal_made"),
            granted: number("appeal_granted"),
            rejected: number("appeal_rejected"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
