//! Heartbeats: the origin that claimed a job reports its progress.

use super::RequestTimes;
use super::open_job::is_open_job;
use crate::ports::database::{Database, DatabaseError, Statement};
use contract::Stage;
use contract::job::{CLAIM_SECONDS, JobProgress, ProgressAnswer};

/// Renews the claim and records the progress, which never decreases within a generation.
pub(crate) async fn record_progress(
    database: &impl Database,
    progress: &JobProgress,
    times: RequestTimes,
) -> Result<ProgressAnswer, DatabaseError> {
    let is_current = database.returns_rows(update_progress(progress, times)).await?;
    Ok(ProgressAnswer { is_current })
}

fn update_progress(progress: &JobProgress, times: RequestTimes) -> Statement {
    let JobProgress { id, stage, percent } = progress;
    Statement::new(concat!(
        "UPDATE contents SET
             stage = CASE WHEN ?5 > progress_percent OR (?5 = progress_percent AND instr(?6, ',' || stage || ',') > 0)
                 THEN ?4 ELSE stage END,
             progress_percent = max(progress_percent, ?5),
             claim_ends_at_unix = CASE WHEN last_signed_at_unix < ?7 THEN ?8 ELSE claim_ends_at_unix END,
             last_signed_at_unix = max(last_signed_at_unix, ?7)
         WHERE uuid = ?1 AND generation = ?2 AND claimed_by = ?3 AND ",
        is_open_job!(),
        " RETURNING generation"
    ))
    .bind(id.content_uuid.as_str())
    .bind(id.generation)
    .bind(id.origin.as_str())
    .bind(*stage)
    .bind(u32::from(stage.overall_percent(*percent)))
    .bind(earlier_stages(*stage))
    .bind(times.signed_at)
    .bind(times.now + CLAIM_SECONDS)
}

/// Returns the stages before this one, with a comma before and after each.
fn earlier_stages(stage: Stage) -> String {
    let earlier = Stage::ALL.iter().take_while(|other| **other < stage);
    earlier.fold(",".to_owned(), |list, other| list + other.as_str() + ",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earlier_stages_are_listed_in_order() {
        assert_eq!(earlier_stages(Stage::Queued), ",");
        assert_eq!(earlier_stages(Stage::Transcode), ",queued,download,inspect,");
    }
}
