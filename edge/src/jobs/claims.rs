//! Claims: an origin takes a job that the queue handed to it, or gives it back.

use super::RequestTimes;
use super::held_jobs::{release_of_channel, send_released};
use super::open_job::is_open_job;
use crate::compaction::{expand, read_media};
use crate::ids::{ContentUuid, UploadUuid};
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::ports::platform::Platform;
use crate::unix_seconds::UnixSeconds;
use contract::api::{CaptionsChange, ThumbnailChange, WaitsFor};
use contract::job::{
    CLAIM_SECONDS, CaptionsWork, ClaimAnswer, JobClaim, JobDetails, JobId, JobWork, MAX_DELIVERY_ATTEMPTS,
    ReleaseAnswer, SentCaptions,
};
use contract::{ContentState, MediaFile, ObjectKey};
use serde::Deserialize;

/// Grants the job to the origin, unless another origin holds it or the job is obsolete. The holder may claim it again.
/// Whatever the answer is, the message has left the queue, so held jobs of the same channel may follow it.
pub(crate) async fn claim<P: Platform>(
    platform: &P,
    claim: &JobClaim,
    times: RequestTimes,
) -> Result<ClaimAnswer, DatabaseError> {
    let mut batch = Batch::default();
    batch.execute(take_claim(claim, times));
    let job = batch.query::<JobRow>(read_job(&claim.id.content_uuid));
    let released = batch.query(release_of_channel(&ContentUuid::new(&claim.id.content_uuid), times.now));
    let answers = platform.database().run(batch).await?;
    let mut job = answers.first(job)?;
    if job.as_ref().is_some_and(|job| job.is_compacted != 0) {
        job = read_expanded(platform, &claim.id.content_uuid, times.now).await?;
    }
    send_released(platform, answers.all(released)?).await;
    Ok(job.map_or(ClaimAnswer::Obsolete, |job| job.answer(claim, times.now)))
}

/// Reads the job of a compacted content. Its report changes the media, so they get their long form back.
async fn read_expanded<P: Platform>(
    platform: &P,
    content_uuid: &str,
    now: UnixSeconds,
) -> Result<Option<JobRow>, DatabaseError> {
    let (database, uuid) = (platform.database(), ContentUuid::new(content_uuid));
    let expanded = expand(database, platform.objects(), &uuid, now).await;
    expanded.map_err(|error| DatabaseError::Unavailable(error.to_string()))?;
    database.first(read_job(content_uuid)).await
}

/// Ends the origin's claim, so that the next origin need not wait until it expires. Does nothing if the origin holds no
/// claim.
pub(crate) async fn release(
    database: &impl Database,
    id: &JobId,
    times: RequestTimes,
) -> Result<ReleaseAnswer, DatabaseError> {
    let released = database.returns_rows(end_claim(id, times)).await?;
    Ok(ReleaseAnswer { released })
}

/// A request must be signed later than the last one, otherwise it is a replay. A higher delivery attempt of the same
/// origin is accepted anyway: the origin may have been killed and restarted within one second, and that attempt has to
/// be counted.
fn take_claim(claim: &JobClaim, times: RequestTimes) -> Statement {
    Statement::new(concat!(
        "UPDATE contents SET claimed_by = ?3, delivery_attempt = max(delivery_attempt, ?4), claim_ends_at_unix = ?5,
             last_signed_at_unix = max(coalesce(last_signed_at_unix, 0), ?6)
         WHERE uuid = ?1 AND generation = ?2 AND ",
        is_open_job!(),
        "
             AND (claimed_by = ?3 OR coalesce(claim_ends_at_unix, 0) <= ?7)
             AND (coalesce(last_signed_at_unix, 0) < ?6 OR (claimed_by = ?3 AND delivery_attempt < ?4))"
    ))
    .bind(claim.id.content_uuid.as_str())
    .bind(claim.id.generation)
    .bind(claim.id.origin.as_str())
    .bind(claim.delivery_attempt)
    .bind(times.now + CLAIM_SECONDS)
    .bind(times.signed_at)
    .bind(times.now)
}

fn read_job(content_uuid: &str) -> Statement {
    Statement::new(
        "SELECT contents.generation, contents.state, waits_for, claimed_by, claim_ends_at_unix, delivery_attempt,
             uploads.uuid AS upload_uuid, has_thumbnail_file, thumbnail_time_seconds, duration_ms, size_bytes,
             file_sha256, caption, ai_summary_of_content AS summary, media, media_generation, thumbnail_change,
             wanted_thumbnail_seconds, wanted_picture, thumbnail_generation, captions_change, is_compacted,
             (SELECT group_concat(language || ' ' || name) FROM captions
              WHERE content_id = contents.id AND is_wanted = 1) AS captions
         FROM contents JOIN uploads ON uploads.id = upload_id WHERE contents.uuid = ?1",
    )
    .bind(content_uuid)
}

/// A release that was signed before the last request is a replay: the origin may have claimed the job again since. A
/// released job has no claimant: its message is in the queue, so the sweep must not send another one.
fn end_claim(id: &JobId, times: RequestTimes) -> Statement {
    Statement::new(concat!(
        "UPDATE contents SET claimed_by = NULL, claim_ends_at_unix = ?4, last_signed_at_unix = ?5
         WHERE uuid = ?1 AND generation = ?2 AND claimed_by = ?3 AND ",
        is_open_job!(),
        "
             AND claim_ends_at_unix > ?4 AND last_signed_at_unix <= ?5
         RETURNING generation"
    ))
    .bind(id.content_uuid.as_str())
    .bind(id.generation)
    .bind(id.origin.as_str())
    .bind(times.now)
    .bind(times.signed_at)
}

#[derive(Deserialize)]
struct JobRow {
    generation: u64,
    state: ContentState,
    waits_for: Option<WaitsFor>,
    claimed_by: Option<String>,
    claim_ends_at_unix: Option<UnixSeconds>,
    delivery_attempt: u32,
    upload_uuid: UploadUuid,
    has_thumbnail_file: u8,
    thumbnail_time_seconds: Option<u32>,
    duration_ms: u64,
    size_bytes: u64,
    file_sha256: String,
    caption: Option<String>,
    summary: Option<String>,
    media: Option<String>,
    media_generation: Option<u64>,
    thumbnail_change: Option<ThumbnailChange>,
    wanted_thumbnail_seconds: Option<u32>,
    wanted_picture: Option<UploadUuid>,
    thumbnail_generation: Option<u64>,
    captions_change: Option<CaptionsChange>,
    is_compacted: u8,
    /// The language and the name of each wanted file, with commas between the files.
    captions: Option<String>,
}

/// Parses a language and the name of its file.
fn sent_captions(text: &str) -> Option<SentCaptions> {
    let (language, upload_uuid) = text.split_once(' ')?;
    Some(SentCaptions { language: language.to_owned(), key: ObjectKey::SourceCaptions { upload_uuid }.path() })
}

/// The width of the picture that the classifier gets with a text. It is made a little smaller there.
const CLASSIFIED_WIDTH: u32 = 640;

impl JobRow {
    fn answer(self, claim: &JobClaim, now: UnixSeconds) -> ClaimAnswer {
        let Some(details) = self.details(claim) else { return ClaimAnswer::Obsolete };
        let ends_at = self.claim_ends_at_unix.unwrap_or(now);
        let is_holder = self.claimed_by.as_ref() == Some(&claim.id.origin);
        if is_holder && ends_at > now {
            return ClaimAnswer::Granted(details);
        }
        ClaimAnswer::Busy { retry_after_seconds: ends_at.seconds_since(now).max(1) }
    }

    /// Returns the details of the job, if it is open.
    fn details(&self, claim: &JobClaim) -> Option<JobDetails> {
        if self.generation != claim.id.generation {
            return None;
        }
        match self.state {
            ContentState::Processing if self.waits_for.is_none() => Some(self.video_details()),
            ContentState::Scheduled | ContentState::Published => {
                let content_uuid = claim.id.content_uuid.as_str();
                self.thumbnail_details(content_uuid).or_else(|| self.captions_details(content_uuid))
            }
            _ => None,
        }
    }

    /// The source of another thumbnail is the picture that its owner sent, or the video that is shown: the uploaded
    /// file is gone.
    fn thumbnail_details(&self, content_uuid: &str) -> Option<JobDetails> {
        let generation = self.media_generation.filter(|_| self.thumbnail_change == Some(ThumbnailChange::Pending))?;
        let media = read_media(self.media.as_deref()?).ok()?;
        let name = MediaFile::Video.to_string();
        let video = media.files.iter().find(|file| file.name == name)?;
        let picture = |name: &UploadUuid| ObjectKey::SourceThumbnail { upload_uuid: name.as_str() }.path();
        Some(JobDetails {
            work: JobWork::Thumbnail,
            source_key: ObjectKey::Media { content_uuid, generation, file: MediaFile::Video }.path(),
            thumbnail_key: self.wanted_picture.as_ref().map(picture),
            thumbnail_time_seconds: self.wanted_thumbnail_seconds,
            duration_ms: media.duration_ms,
            size_bytes: video.size_bytes,
            file_sha256: String::new(),
            ..self.video_details()
        })
    }

    /// Captions change the files that the first job made. So a job for them needs the generation of that job.
    fn captions_details(&self, content_uuid: &str) -> Option<JobDetails> {
        let media_generation =
            self.media_generation.filter(|_| self.captions_change == Some(CaptionsChange::Pending))?;
        let media = read_media(self.media.as_deref()?).ok()?;
        let key = |generation, file| ObjectKey::Media { content_uuid, generation, file }.path();
        let picture = MediaFile::Thumbnail(CLASSIFIED_WIDTH);
        Some(JobDetails {
            work: JobWork::Captions,
            source_key: key(media_generation, MediaFile::Video),
            thumbnail_key: None,
            thumbnail_time_seconds: None,
            duration_ms: media.duration_ms,
            file_sha256: String::new(),
            captions: Some(CaptionsWork {
                media_generation,
                picture_key: key(self.thumbnail_generation.unwrap_or(media_generation), picture),
                files: self.captions.iter().flat_map(|files| files.split(',')).filter_map(sent_captions).collect(),
            }),
            ..self.video_details()
        })
    }

    fn video_details(&self) -> JobDetails {
        let upload_uuid = self.upload_uuid.as_str();
        let thumbnail_key = || ObjectKey::SourceThumbnail { upload_uuid }.path();
        JobDetails {
            work: JobWork::Video,
            source_key: ObjectKey::SourceVideo { upload_uuid }.path(),
            thumbnail_key: (self.has_thumbnail_file != 0).then(thumbnail_key),
            thumbnail_time_seconds: self.thumbnail_time_seconds,
            duration_ms: self.duration_ms,
            size_bytes: self.size_bytes,
            file_sha256: self.file_sha256.clone(),
            caption: self.caption.clone(),
            summary: self.summary.clone(),
            captions: None,
            is_last_attempt: self.delivery_attempt >= MAX_DELIVERY_ATTEMPTS,
        }
    }
}
