//! An origin asks for a job that the queue gave it.

use super::Heard;
use crate::database::{Database, DatabaseError, Statement, first_row};
use contract::job::{CLAIM_SECONDS, ClaimAnswer, JobClaim, JobDetails, MAX_DELIVERIES};
use contract::{ContentState, ObjectKey};
use serde::Deserialize;

/// Gives the job to the origin, unless another has it or it is over. Asked again, the origin still has it.
pub async fn claim(
    database: &impl Database,
    claim: &JobClaim,
    heard: Heard,
) -> Result<ClaimAnswer, DatabaseError> {
    let statements = vec![take(claim, heard), read(&claim.id.content_uuid)];
    let job: Option<Job> = first_row(database.batch(statements).await?.get(1))?;
    Ok(job.map_or(ClaimAnswer::Over, |job| job.answer(claim, heard.now_unix)))
}

/// What is signed no later than the last word is a repetition, unless it tells of a delivery that was not heard of yet: an
/// origin that was killed and is back within the same second has to be counted.
fn take(claim: &JobClaim, heard: Heard) -> Statement {
    Statement::new(
        "UPDATE contents SET claimed_by = ?3, delivery = max(delivery, ?4), claim_ends_at_unix = ?5,
             heard_at_unix = max(coalesce(heard_at_unix, 0), ?6)
         WHERE uuid = ?1 AND generation = ?2 AND state = 'processing' AND waits_for IS NULL
             AND (claimed_by = ?3 OR coalesce(claim_ends_at_unix, 0) <= ?7)
             AND (coalesce(heard_at_unix, 0) < ?6 OR (claimed_by = ?3 AND delivery < ?4))",
    )
    .bind(claim.id.content_uuid.as_str())
    .bind(claim.id.generation)
    .bind(claim.id.origin.as_str())
    .bind(claim.delivery)
    .bind(heard.now_unix + CLAIM_SECONDS)
    .bind(heard.signed_at_unix)
    .bind(heard.now_unix)
}

fn read(content_uuid: &str) -> Statement {
    Statement::new(
        "SELECT contents.generation, contents.state, waits_for, claimed_by, claim_ends_at_unix, delivery,
             uploads.uuid AS upload_uuid, has_thumbnail_file, thumbnail_time_seconds, duration_ms, size_bytes,
             file_sha256, caption
         FROM contents JOIN uploads ON uploads.id = upload_id WHERE contents.uuid = ?1",
    )
    .bind(content_uuid)
}

#[derive(Deserialize)]
struct Job {
    generation: u64,
    state: ContentState,
    waits_for: Option<String>,
    claimed_by: Option<String>,
    claim_ends_at_unix: Option<u64>,
    delivery: u32,
    upload_uuid: String,
    has_thumbnail_file: u8,
    thumbnail_time_seconds: Option<u32>,
    duration_ms: u64,
    size_bytes: u64,
    file_sha256: String,
    caption: Option<String>,
}

impl Job {
    fn answer(self, claim: &JobClaim, now_unix: u64) -> ClaimAnswer {
        let is_current = self.generation == claim.id.generation;
        if !is_current || self.state != ContentState::Processing || self.waits_for.is_some() {
            return ClaimAnswer::Over;
        }
        let ends_at_unix = self.claim_ends_at_unix.unwrap_or(now_unix);
        let is_theirs = self.claimed_by.as_ref() == Some(&claim.id.origin);
        if is_theirs && ends_at_unix > now_unix {
            return ClaimAnswer::Work(self.details());
        }
        ClaimAnswer::Busy {
            retry_after_seconds: ends_at_unix.saturating_sub(now_unix).max(1),
        }
    }

    fn details(self) -> JobDetails {
        let upload_uuid = self.upload_uuid.as_str();
        let picture = || ObjectKey::SourceThumbnail { upload_uuid }.path();
        JobDetails {
            source_key: ObjectKey::SourceVideo { upload_uuid }.path(),
            picture_key: (self.has_thumbnail_file != 0).then(picture),
            thumbnail_time_seconds: self.thumbnail_time_seconds,
            duration_ms: self.duration_ms,
            size_bytes: self.size_bytes,
            file_sha256: self.file_sha256,
            caption: self.caption,
            is_last_attempt: self.delivery >= MAX_DELIVERIES,
        }
    }
}
