//! The status of contents, as their owner sees it.
//!
//! The owner is checked in the transaction that reads the contents, so an owner only sees the own channel's contents.

use super::content_urls::ContentUrls;
use super::cursor;
use super::estimate::Awaited;
use super::owner_changes::OwnedContent;
use super::poll_advice::{PollFacts, check_after_seconds};
use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::paging::cut;
use crate::base::slug::{MAY_HAVE_SLUG, Slug};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::label::LabelState;
use crate::contents::life::packed_media::read_media;
use crate::contents::life::rules::appeal::{Appealable, LATEST_REMOVAL, MAY_BE_APPEALED};
use crate::contents::life::{JobState, Source};
use crate::people::keys::key_store::ChannelUse;
use crate::people::owner::Owner;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, read_column};
use contract::api::{Appeal, CaptionsChange, ContentStatus, Metadata, ThumbnailChange, Uploads, WaitsFor};
use contract::job::{JobWork, StoredMedia};
use contract::{ContentState, ErrorCode, Label, Stage, Visibility};
use serde::Deserialize;

/// A content's row, with the columns that its status needs.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct StoredContent {
    id: u64,
    uuid: ContentUuid,
    state: ContentState,
    waits_for: Option<WaitsFor>,
    error_code: Option<ErrorCode>,
    error_detail: Option<String>,
    policy_code: Option<String>,
    may_be_appealed: u8,
    /// Its appeal as JSON.
    appeal: Option<String>,
    media_generation: Option<u64>,
    created_at_unix: UnixSeconds,
    finished_at_unix: Option<UnixSeconds>,
    scheduled_publish_at_unix: Option<UnixSeconds>,
    needs_release: u8,
    is_unlisted: u8,
    is_sensitive: LabelState,
    is_ai_generated: LabelState,
    published_at_unix: Option<UnixSeconds>,
    duration_ms: u64,
    source: String,
    caption: Option<String>,
    super_category_id: Option<u64>,
    ai_summary_of_content: Option<String>,
    external_id: Option<String>,
    metadata: Option<String>,
    media_name: String,
    slug_url: Slug,
    media: Option<String>,
    /// The languages with commas between them, in the order of their index.
    captions: Option<String>,
    /// Its jobs as JSON.
    jobs: String,
    is_test: u8,
}

/// The part of a content's status that is about one of its jobs.
#[derive(Clone, Debug, Deserialize)]
struct StatusJob {
    kind: JobWork,
    state: JobState,
    stage: Stage,
    percent: u8,
    enqueued_at_unix: UnixSeconds,
    error_code: Option<ErrorCode>,
}

/// The owner's channel, and the requested contents of it.
#[derive(Clone, Debug)]
pub(crate) struct OwnedContents {
    pub channel_use: ChannelUse,
    pub contents: Vec<StoredContent>,
}

pub(super) const SELECT_COLUMNS: &str = constcat::concat!(
    "SELECT id, uuid, state, waits_for, error_code, error_detail, policy_code, created_at_unix, finished_at_unix,
                 scheduled_publish_at_unix, needs_release, is_unlisted, is_sensitive, is_ai_generated,
                 published_at_unix, duration_ms, source, caption,
                 super_category_id, ai_summary_of_content, external_id, metadata, media_name, media,
                 (SELECT json_group_array(json_object('kind', kind, 'state', jobs.state, 'stage', stage,
                     'percent', percent, 'enqueued_at_unix', enqueued_at_unix, 'error_code', jobs.error_code))
                  FROM jobs WHERE jobs.content_id = contents.id) AS jobs,
                 media_generation, 0 AS is_test,
                 ",
    MAY_BE_APPEALED,
    ",
                 (SELECT json_object('state', appeals.state, 'made_at_unix', made_at_unix,
                      'decided_at_unix', decided_at_unix)
                  FROM appeals WHERE appeals.content_id = contents.id AND decision_id = ",
    LATEST_REMOVAL,
    ") AS appeal,
                 (SELECT group_concat(language) FROM captions
                  WHERE content_id = contents.id AND is_wanted = 1) AS captions, ",
    crate::base::slug::SLUG_COLUMN
);

/// Returns the content with this UUID if it belongs to the owner's channel. Returns `None` if there is no such channel.
pub(crate) async fn find_content(
    database: &impl Database,
    owner: &Owner,
    content_uuid: &ContentUuid,
    now: UnixSeconds,
) -> Result<Option<OwnedContents>, DatabaseError> {
    let channel = owner.channel();
    let select = Statement::new(format!("{SELECT_COLUMNS} FROM contents WHERE channel_id = {channel} AND uuid = ?2"));
    read(database, owner, select.bind(owner.value()).bind(content_uuid), now).await
}

/// Returns the content with this slug if it belongs to the channel. The caller has identified the channel.
pub(crate) async fn find_by_slug(
    database: &impl Database,
    channel_id: ChannelId,
    slug_url: &str,
) -> Result<Option<StoredContent>, DatabaseError> {
    let select =
        Statement::new(constcat::concat!(SELECT_COLUMNS, " FROM contents WHERE channel_id = ?2 AND ", MAY_HAVE_SLUG));
    let found: Option<StoredContent> = database.first(select.bind(slug_url).bind(channel_id)).await?;
    Ok(found.filter(|content| content.slug_url.as_str() == slug_url))
}

/// Returns the content if it belongs to the channel.
pub(crate) async fn find_owned(
    database: &impl Database,
    content: OwnedContent<'_>,
) -> Result<Option<StoredContent>, DatabaseError> {
    let select =
        Statement::new(constcat::concat!(SELECT_COLUMNS, " FROM contents WHERE uuid = ?1 AND channel_id = ?2"));
    database.first(select.bind(content.content_uuid).bind(content.channel_id)).await
}

/// Counts a use of a key by the minute, and reads contents in the same transaction.
pub(super) async fn read(
    database: &impl Database,
    owner: &Owner,
    select: Statement,
    now: UnixSeconds,
) -> Result<Option<OwnedContents>, DatabaseError> {
    let mut batch = Batch::default();
    let channel_use = owner.read_use(&mut batch, now);
    let contents = batch.query(select);
    let answers = database.run(batch).await?;
    let contents = answers.all(contents)?;
    Ok(channel_use.read(&answers)?.map(|channel_use| OwnedContents { channel_use, contents }))
}

/// Returns one page of the list. `contents` holds one content more than the page if another page follows.
pub(crate) fn uploads_page(mut contents: Vec<StoredContent>, length: u32, site: &str, now: UnixSeconds) -> Uploads {
    Uploads {
        success: true,
        next_cursor: cut(&mut contents, length, |last| cursor::after(last.id)),
        uploads: contents.into_iter().map(|content| content.status(site, now)).collect(),
    }
}

/// Returns the value of a column, or `None` if it cannot be read: one broken row must not hide the rest of its page.
pub(crate) fn readable<T>(uuid: &ContentUuid, column: &str, value: Result<T, DatabaseError>) -> Option<T> {
    let log = |error: &DatabaseError| {
        tracing::error!(content_uuid = uuid.as_str(), column, %error, "a column of a content cannot be read");
    };
    value.inspect_err(log).ok()
}

impl StoredContent {
    pub(crate) fn status(self, site: &str, now: UnixSeconds) -> ContentStatus {
        let is_processing = self.state == ContentState::Processing;
        let jobs = self.jobs();
        let video = job_of(&jobs, JobWork::Video);
        let media = self.stored_media();
        let source: Option<Source> = readable(&self.uuid, "source", read_column(&self.source));
        let urls = ContentUrls { site, media_name: &self.media_name, slug_url: self.slug_url.as_str() };
        ContentStatus {
            content_id: self.id,
            state: self.state,
            stage: is_processing.then_some(video.map_or(Stage::Queued, |job| job.stage)),
            progress_percent: self.machine_progress(video),
            eta_seconds: None,
            error_message_code: self.error_code,
            detail: self.detail(),
            created_at_unix: self.created_at_unix.0,
            finished_at_unix: self.finished_at_unix.map(|time| time.0),
            scheduled_publish_at_unix: self.scheduled_publish_at_unix.map(|time| time.0),
            needs_release: self.is_to_be_released(),
            published_at_unix: self.published_at_unix.map(|time| time.0),
            quality: media.as_ref().map(|media| media.quality),
            duration_ms: media.as_ref().map_or(self.duration_ms, |media| media.duration_ms),
            width: media.as_ref().map(|media| media.width).or(source.as_ref().and_then(|source| source.width)),
            height: media.as_ref().map(|media| media.height).or(source.as_ref().and_then(|source| source.height)),
            thumbnails: media.as_ref().map_or_else(Vec::new, |media| urls.thumbnails(media)),
            subtitles: media.as_ref().map_or_else(Vec::new, |media| urls.subtitles(media, self.state.is_public())),
            dropped_subtitles: media.as_ref().map_or_else(Vec::new, |media| media.dropped_subtitles.clone()),
            urls: media.as_ref().filter(|_| self.state.is_public()).map(|media| urls.public(media)),
            thumbnail_change: change_by(&jobs, JobWork::Thumbnail, [ThumbnailChange::Pending, ThumbnailChange::Failed]),
            thumbnail_error_message_code: error_of(&jobs, JobWork::Thumbnail),
            captions: self.captions.iter().flat_map(|tags| tags.split(',')).map(str::to_owned).collect(),
            captions_change: change_by(&jobs, JobWork::Captions, [CaptionsChange::Pending, CaptionsChange::Failed]),
            captions_error_message_code: error_of(&jobs, JobWork::Captions),
            check_after_seconds: check_after_seconds(self.poll_facts(&jobs), now),
            thumbhash: media.map(|media| media.thumbhash),
            visibility: visibility(self.is_unlisted),
            is_sensitive: self.is_sensitive.is_set(),
            is_ai_generated: self.is_ai_generated.is_set(),
            is_test: self.is_test != 0,
            moderator_labels: moderator_labels(self.is_sensitive, self.is_ai_generated),
            metadata: self.metadata(),
            can_appeal_until_unix: self.can_appeal_until(now),
            appeal: self.appeal(),
            policy_code: self.policy_code,
            external_id: self.external_id,
            content_uuid: self.uuid.into_string(),
            caption: self.caption,
            super_category_id: self.super_category_id,
            ai_summary_of_content: self.ai_summary_of_content,
            media_name: self.media_name,
            slug_url: self.slug_url.into_string(),
        }
    }

    /// Returns what an estimate of its end needs, if it is queued or being processed.
    pub(crate) fn awaited(&self) -> Option<Awaited> {
        let is_awaited = self.state == ContentState::Processing && self.waits_for.is_none() && self.is_test == 0;
        let jobs = self.jobs();
        let job = job_of(&jobs, JobWork::Video).filter(|job| is_awaited && job.state.is_pending())?;
        let (stage, percent, enqueued_at) = (job.stage, job.percent, job.enqueued_at_unix);
        Some(Awaited { stage, percent, enqueued_at, duration_ms: self.duration_ms })
    }

    fn appeal(&self) -> Option<Appeal> {
        let appeal = self.appeal.as_deref()?;
        readable(&self.uuid, "appeal", read_column(appeal))
    }

    /// Returns the time until which its owner can appeal.
    fn can_appeal_until(&self, now: UnixSeconds) -> Option<u64> {
        let appealable = Appealable {
            state: self.state,
            policy_code: self.policy_code.as_deref(),
            may_be_appealed: self.may_be_appealed != 0,
            is_stored: self.media.is_some() && self.media_generation.is_some(),
            finished_at: self.finished_at_unix,
            is_appealed: self.appeal.is_some(),
        };
        appealable.until(now).map(|time| time.0)
    }

    /// Whether its owner may release it, and nothing publishes it before.
    fn is_to_be_released(&self) -> bool {
        self.needs_release != 0 && matches!(self.state, ContentState::Processing | ContentState::Scheduled)
    }

    fn machine_progress(&self, video: Option<&StatusJob>) -> u8 {
        let is_working = self.state == ContentState::Processing && self.waits_for != Some(WaitsFor::Person);
        if is_working { video.map_or(0, |job| job.percent) } else { 100 }
    }

    fn jobs(&self) -> Vec<StatusJob> {
        readable(&self.uuid, "jobs", read_column(&self.jobs)).unwrap_or_default()
    }

    /// Returns the media that a job produced, or `None` if its files are not kept in this state.
    fn stored_media(&self) -> Option<StoredMedia> {
        use ContentState::{Processing, Published, Scheduled};
        let is_stored = matches!(self.state, Processing | Scheduled | Published);
        let media = self.media.as_deref().filter(|_| is_stored)?;
        readable(&self.uuid, "media", read_media(media))
    }

    fn metadata(&self) -> Metadata {
        let metadata = self.metadata.as_deref();
        metadata.and_then(|column| readable(&self.uuid, "metadata", read_column(column))).unwrap_or_default()
    }

    fn detail(&self) -> Option<String> {
        let text = match self.waits_for {
            None if self.state == ContentState::Deleted => {
                "The video was deleted by its owner. It can no longer be watched and cannot be restored."
            }
            None if self.state == ContentState::Scheduled && self.is_to_be_released() => {
                "The video is approved. It will be published once its owner releases it."
            }
            Some(WaitsFor::Person) => "A moderator has to review the video before it can be published.",
            Some(WaitsFor::Check) => "A moderation check could not run. It will be retried automatically.",
            None => return self.error_detail.clone(),
        };
        Some(text.to_owned())
    }

    fn poll_facts(&self, jobs: &[StatusJob]) -> PollFacts {
        let video = job_of(jobs, JobWork::Video);
        PollFacts {
            state: self.state,
            stage: video.map_or(Stage::Queued, |job| job.stage),
            waits_for: self.waits_for,
            enqueued_at: video.map_or(self.created_at_unix, |job| job.enqueued_at_unix),
            scheduled_publish_at: self.scheduled_publish_at_unix,
            needs_release: self.is_to_be_released(),
            is_change_pending: jobs.iter().any(|job| job.kind != JobWork::Video && job.state.is_pending()),
        }
    }
}

pub(crate) fn visibility(is_unlisted: u8) -> Visibility {
    if is_unlisted == 0 { Visibility::Public } else { Visibility::Unlisted }
}

/// Returns the labels that a moderator set.
pub(crate) fn moderator_labels(is_sensitive: LabelState, is_ai_generated: LabelState) -> Vec<Label> {
    let labels = [(is_sensitive, Label::Sensitive), (is_ai_generated, Label::AiGenerated)];
    labels.into_iter().filter(|(state, _)| *state == LabelState::ByModerator).map(|(_, label)| label).collect()
}

fn job_of(jobs: &[StatusJob], kind: JobWork) -> Option<&StatusJob> {
    jobs.iter().find(|job| job.kind == kind)
}

/// Returns the first value if a change is still to be made, the second if it has failed.
fn change_by<T>(jobs: &[StatusJob], kind: JobWork, [pending, failed]: [T; 2]) -> Option<T> {
    let job = job_of(jobs, kind)?;
    if job.state.is_pending() {
        return Some(pending);
    }
    job.error_code.map(|_| failed)
}

fn error_of(jobs: &[StatusJob], kind: JobWork) -> Option<ErrorCode> {
    job_of(jobs, kind).filter(|job| !job.state.is_pending())?.error_code
}
