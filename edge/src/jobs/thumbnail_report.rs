//! The report of a job for another thumbnail. If its pictures pass, they replace the old ones. Otherwise the old ones
//! stay, and the status says so.
//!
//! Acceptance and effect are one statement, which requires that the blocklist has not changed since the comparison. A
//! repeated report finds the change made, and gets the same answer.

use super::report_statements::{bind, json};
use crate::moderation::screening::{Blocklist, Comparison, MAX_COMPARISONS, Screening, changed_each_time};
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::ports::object_store::ObjectStore;
use contract::job::{JobOutcome, JobReport, ReportAnswer, StoredPictures};
use contract::moderation::{FrameHash, Recommendation, strictest_recommendation};
use contract::{ContentState, ErrorCode, MediaFile, ObjectKey};
use serde::Deserialize;

/// The condition under which a report takes effect: its origin holds the open job.
macro_rules! where_held {
    () => {
        " WHERE uuid = ?1 AND generation = ?2 AND claimed_by = ?3 AND thumbnail_change = 'pending'
             AND state IN ('scheduled', 'published')"
    };
}

/// The new pictures replace the entries with their names.
const REPLACE: &str = concat!(
    "UPDATE contents SET thumbnail_change = NULL, thumbnail_generation = generation,
         thumbnail_time_seconds = wanted_thumbnail_seconds, has_thumbnail_file = wanted_picture IS NOT NULL,
         picture_sha256 = wanted_picture_sha256, thumbnail_frames = ?7, claimed_by = NULL, claim_ends_at_unix = NULL,
         media = json_set(media, '$.thumbhash', ?4, '$.files', json((
             SELECT json_group_array(json(coalesce(new.value, old.value)))
             FROM json_each(media, '$.files') AS old LEFT JOIN json_each(?5) AS new
                 ON new.value ->> '$.name' = old.value ->> '$.name')))",
    where_held!(),
    " AND (?6 IS NULL OR ?6 = (SELECT version FROM blocklist_version))"
);
const FAIL: &str = concat!(
    "UPDATE contents SET thumbnail_change = 'failed', thumbnail_error_code = ?4, claimed_by = NULL,
         claim_ends_at_unix = NULL",
    where_held!()
);

/// Accepts a report about another thumbnail from the origin that claimed the job. `stored` are the objects in its
/// folder, with their sizes.
pub(super) async fn accept_thumbnail<D: Database, O: ObjectStore>(
    blocklist: &Blocklist<'_, D, O>,
    report: &JobReport,
    stored: &[(String, u64)],
) -> Result<ReportAnswer, DatabaseError> {
    let passed = match passed_pictures(report, stored) {
        Ok(passed) => passed,
        Err(code) => return answer(blocklist.database, report, fail(report, code)).await.map(|answer| answer.0),
    };
    let mut comparison = Comparison::new(passed.frames);
    for _ in 0..MAX_COMPARISONS {
        let screening = comparison.update(blocklist).await?;
        let statement = effect(report, &passed, &screening)?;
        let (answer, is_decided) = answer(blocklist.database, report, statement).await?;
        if is_decided {
            return Ok(answer);
        }
    }
    Err(changed_each_time())
}

/// Pictures that passed the checks of the origin, and their hashes.
struct PassedPictures<'a> {
    pictures: &'a StoredPictures,
    frames: &'a [FrameHash],
}

/// Returns the pictures if all of them are stored and pass every check, otherwise the reason why not. A picture never
/// waits for a moderator: unless it passes, it is refused.
fn passed_pictures<'a>(report: &'a JobReport, stored: &[(String, u64)]) -> Result<PassedPictures<'a>, ErrorCode> {
    let (pictures, findings, frames) = match &report.outcome {
        JobOutcome::Thumbnail { pictures, findings, frames } => (pictures, findings, frames),
        JobOutcome::Refused { code, .. } => return Err(*code),
        JobOutcome::Processed { .. } | JobOutcome::Captions { .. } | JobOutcome::Failed { .. } => {
            return Err(ErrorCode::ContentProcessingFailed);
        }
    };
    let is_stored = |file: &MediaFile| {
        let (content_uuid, generation) = (report.id.content_uuid.as_str(), report.id.generation);
        let key = ObjectKey::Media { content_uuid, generation, file: *file }.path();
        let name = file.to_string();
        let reported = pictures.files.iter().find(|reported| reported.name == name);
        reported.is_some_and(|reported| stored.contains(&(key, reported.size_bytes)))
    };
    match strictest_recommendation(findings) {
        Recommendation::Pass if MediaFile::THUMBNAILS.iter().all(is_stored) => Ok(PassedPictures { pictures, frames }),
        // A check could not be made, or a picture is missing.
        Recommendation::Pass | Recommendation::Wait => Err(ErrorCode::ContentProcessingFailed),
        Recommendation::Review | Recommendation::Reject => Err(ErrorCode::ContentModerationRejected),
    }
}

fn effect(report: &JobReport, passed: &PassedPictures<'_>, screening: &Screening) -> Result<Statement, DatabaseError> {
    if screening.finding.is_some() {
        return Ok(fail(report, ErrorCode::ContentModerationRejected));
    }
    let PassedPictures { pictures, frames } = passed;
    let replace = bind(REPLACE, report).bind(pictures.thumbhash.as_str()).bind(json(&pictures.files)?);
    Ok(replace.bind(screening.version).bind(json(frames)?))
}

fn fail(report: &JobReport, code: ErrorCode) -> Statement {
    bind(FAIL, report).bind(code)
}

/// Applies the effect. Returns the answer, and whether it is final: it is not while the job is still open.
async fn answer(
    database: &impl Database,
    report: &JobReport,
    effect: Statement,
) -> Result<(ReportAnswer, bool), DatabaseError> {
    #[derive(Deserialize)]
    struct AnswerRow {
        state: ContentState,
        is_over: u8,
        is_held: u8,
    }
    // A change of the captions that waited has begun the next generation in the same transaction.
    let read = "SELECT state, thumbnail_change IS NOT 'pending'
                    AND (generation = ?2 OR (generation = ?2 + 1 AND captions_change = 'pending')) AS is_over,
                    generation = ?2 AND claimed_by IS ?3 AS is_held
                FROM contents WHERE uuid = ?1";
    let mut batch = Batch::default();
    batch.execute(effect);
    let row = batch.query::<AnswerRow>(bind(read, report));
    let row = database.run(batch).await?.first(row)?;
    let accepted = row.as_ref().is_some_and(|row| row.is_over != 0);
    let is_decided = accepted || row.as_ref().is_none_or(|row| row.is_held == 0);
    Ok((ReportAnswer { accepted, state: row.map(|row| row.state) }, is_decided))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::scene::job;
    use contract::job::StoredFile;

    #[test]
    fn pictures_pass_if_all_are_stored_with_their_sizes() {
        let sizes = MediaFile::THUMBNAILS.iter().zip(1..).collect::<Vec<(&MediaFile, u64)>>();
        let file = |&(file, size_bytes): &(&MediaFile, u64)| StoredFile { name: file.to_string(), size_bytes };
        let pictures = StoredPictures { thumbhash: String::new(), files: sizes.iter().map(file).collect() };
        let outcome = JobOutcome::Thumbnail { pictures, findings: Vec::new(), frames: Vec::new() };
        let report = JobReport { id: job("a", 7), outcome };
        let stored: Vec<_> = sizes.iter().map(|(file, size)| (format!("media/c/7/{file}"), *size)).collect();
        assert!(passed_pictures(&report, &stored).is_ok());
        for changed in 0..stored.len() {
            let (mut other_name, mut other_size) = (stored.clone(), stored.clone());
            other_name[changed].0.push('x');
            other_size[changed].1 += 10;
            for stored in [other_name, other_size] {
                assert_eq!(passed_pictures(&report, &stored).err(), Some(ErrorCode::ContentProcessingFailed));
            }
        }
    }
}
