//! A sign of life of the origin that has a job, and how far it is.

use super::Heard;
use crate::database::{Database, DatabaseError, Statement};
use contract::Stage;
use contract::job::{CLAIM_SECONDS, JobProgress, ProgressAnswer};

/// Renews the claim and notes how far the job is; within a generation that never goes back.
pub async fn progress(
    database: &impl Database,
    progress: &JobProgress,
    heard: Heard,
) -> Result<ProgressAnswer, DatabaseError> {
    let answers = database.batch(vec![note(progress, heard)]).await?;
    let go_on = answers.first().is_some_and(|rows| !rows.0.is_empty());
    Ok(ProgressAnswer { go_on })
}

fn note(progress: &JobProgress, heard: Heard) -> Statement {
    let JobProgress { id, stage, percent } = progress;
    Statement::new(
        "UPDATE contents SET
             stage = CASE WHEN ?5 > progress_percent OR (?5 = progress_percent AND instr(?6, ',' || stage || ',') > 0)
                 THEN ?4 ELSE stage END,
             progress_percent = max(progress_percent, ?5),
             claim_ends_at_unix = CASE WHEN heard_at_unix < ?7 THEN ?8 ELSE claim_ends_at_unix END,
             heard_at_unix = max(heard_at_unix, ?7)
         WHERE uuid = ?1 AND generation = ?2 AND claimed_by = ?3 AND state = 'processing' AND waits_for IS NULL
         RETURNING generation",
    )
    .bind(id.content_uuid.as_str())
    .bind(id.generation)
    .bind(id.origin.as_str())
    .bind(stage.as_str())
    .bind(u32::from(stage.overall_percent(*percent)))
    .bind(stages_before(*stage))
    .bind(heard.signed_at_unix)
    .bind(heard.now_unix + CLAIM_SECONDS)
}

/// The stages from which this one is a step ahead, each between commas.
fn stages_before(stage: Stage) -> String {
    let before = Stage::ALL.iter().take_while(|other| **other < stage);
    before.fold(",".to_owned(), |list, other| list + other.as_str() + ",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stages_before_one_are_those_that_it_follows() {
        assert_eq!(stages_before(Stage::Queued), ",");
        assert_eq!(stages_before(Stage::Transcode), ",queued,download,inspect,");
    }
}
