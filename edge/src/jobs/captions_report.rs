//! Accepts the report of a captions job. If the new text passes, the new tracks, playlist and manifest replace the old
//! ones. Otherwise the old ones stay, and the status says so.
//!
//! Acceptance and effect are one statement. A repeated report finds the change made, and gets the same answer.

use super::demands::KnownFacts;
use super::report_statements::{bind, json};
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use contract::job::{JobOutcome, JobReport, ReportAnswer, StoredFile, StoredSubtitles};
use contract::moderation::{Check, Recommendation, strictest_recommendation};
use contract::{ContentState, ErrorCode, ObjectKey};
use serde::Deserialize;

/// The condition under which a report takes effect: its origin holds the open job.
macro_rules! where_held {
    () => {
        " WHERE uuid = ?1 AND generation = ?2 AND claimed_by = ?3 AND captions_change = 'pending'
             AND thumbnail_change IS NOT 'pending' AND state IN ('scheduled', 'published')"
    };
}

/// The new files replace all those that depend on the subtitles: `MediaFile::depends_on_subtitles`.
const REPLACE: &str = concat!(
    "UPDATE contents SET captions_change = NULL, captions_generation = generation, claimed_by = NULL,
         claim_ends_at_unix = NULL,
         media = json_set(media, '$.subtitles', json(?4), '$.files', json((
             SELECT json_group_array(json(value)) FROM (
                 SELECT value FROM json_each(media, '$.files')
                 WHERE value ->> '$.name' NOT IN ('hls/master.m3u8', 'manifest.mpd')
                     AND value ->> '$.name' NOT LIKE 'hls/subtitles-%'
                 UNION ALL SELECT value FROM json_each(?5)))))",
    where_held!()
);
const FAIL: &str = concat!(
    "UPDATE contents SET captions_change = 'failed', captions_error_code = ?4, claimed_by = NULL,
         claim_ends_at_unix = NULL",
    where_held!()
);

/// Accepts a report about captions from the origin that claimed the job.
pub(super) async fn accept_captions(
    database: &impl Database,
    report: &JobReport,
    facts: KnownFacts<'_>,
) -> Result<ReportAnswer, DatabaseError> {
    let effect = match passed_subtitles(report, facts) {
        Ok(StoredSubtitles { tracks, files }) => bind(REPLACE, report).bind(json(tracks)?).bind(json(files)?),
        Err(code) => bind(FAIL, report).bind(code),
    };
    answer(database, report, effect).await
}

/// Returns the subtitles if all their files are stored and their text passes every check, otherwise the reason why not.
/// A text never waits for a moderator: unless it passes, it is refused.
fn passed_subtitles<'a>(report: &'a JobReport, facts: KnownFacts<'_>) -> Result<&'a StoredSubtitles, ErrorCode> {
    let (subtitles, findings, examination) = match &report.outcome {
        JobOutcome::Captions { subtitles, findings, examination } => (subtitles, findings, examination),
        JobOutcome::Refused { code, .. } => return Err(*code),
        _ => return Err(ErrorCode::ContentProcessingFailed),
    };
    let folder = ObjectKey::generation_folder(&report.id.content_uuid, report.id.generation);
    let is_stored = |file: &StoredFile| facts.stored.contains(&(format!("{folder}{}", file.name), file.size_bytes));
    let is_examined = !facts.requires_classifier || examination.checks.contains(&Check::Classifier);
    let is_complete = is_examined && subtitles.files.iter().all(is_stored);
    match strictest_recommendation(findings) {
        Recommendation::Pass if is_complete => Ok(subtitles),
        // A check was not made, or a file is missing.
        Recommendation::Pass | Recommendation::Wait => Err(ErrorCode::ContentProcessingFailed),
        Recommendation::Review | Recommendation::Reject => Err(ErrorCode::ContentModerationRejected),
    }
}

/// Applies the effect, and returns the answer.
async fn answer(
    database: &impl Database,
    report: &JobReport,
    effect: Statement,
) -> Result<ReportAnswer, DatabaseError> {
    #[derive(Deserialize)]
    struct AnswerRow {
        state: ContentState,
        is_over: u8,
    }
    let read = Statement::new(
        "SELECT state, generation = ?2 AND captions_change IS NOT 'pending' AS is_over FROM contents WHERE uuid = ?1",
    );
    let mut batch = Batch::default();
    batch.execute(effect);
    let row = batch.query::<AnswerRow>(read.bind(report.id.content_uuid.as_str()).bind(report.id.generation));
    let row = database.run(batch).await?.first(row)?;
    let accepted = row.as_ref().is_some_and(|row| row.is_over != 0);
    Ok(ReportAnswer { accepted, state: row.map(|row| row.state) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::scene::{all_known, all_stored, job};
    use crate::jobs::tests::with_subtitles;
    use contract::MediaFile;
    use contract::moderation::Examination;

    fn report(checks: Vec<Check>) -> JobReport {
        let media = with_subtitles();
        let mut files = media.files;
        files.retain(|file| MediaFile::parse(&file.name).is_some_and(MediaFile::depends_on_subtitles));
        let outcome = JobOutcome::Captions {
            subtitles: StoredSubtitles { tracks: media.subtitles, files },
            findings: Vec::new(),
            examination: Examination { checks, ..Examination::default() },
        };
        JobReport { id: job("a", 1), outcome }
    }

    #[test]
    fn captions_pass_with_all_required_checks_and_files() {
        let (all, of_another_job) = (all_stored(1), all_stored(2));
        let but_one = &all[..all.len() - 1];
        for (requires_classifier, checks, stored, passes) in [
            (false, vec![], &all[..], true),
            (true, vec![Check::Classifier], &all, true),
            (true, vec![], &all, false),
            (true, vec![Check::Blocklist], &all, false),
            (false, vec![], but_one, false),
            (true, vec![Check::Classifier], but_one, false),
            (false, vec![], &of_another_job, false),
        ] {
            let facts = KnownFacts { requires_classifier, ..all_known(stored) };
            assert_eq!(passed_subtitles(&report(checks), facts).is_ok(), passes);
        }
    }
}
