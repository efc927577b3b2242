//! A case: everything that a moderator needs to know about one content.

use super::content_search::ContentRow;
use super::history;
use super::review_address::ReviewAddresses;
use super::review_claims::{CLAIM_COLUMN, read_claim};
use crate::base::ids::ContentUuid;
use crate::base::slug::SLUG_COLUMN;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::compaction::{DETAILS_GENERATION, read_details};
use crate::contents::life::packed_media::read_media;
use crate::contents::status::readable;
use crate::platform::database::{Database, DatabaseError, Statement, read_column};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectStore;
use contract::MediaFile;
use contract::api::{CaseAppeal, CaseChannel, CaseFlag, CaseSubtitles, ModerationCase};
use contract::job::StoredMedia;
use contract::moderation::Finding;
use serde::Deserialize;
use serde_json::Value;

/// Decisions in a case.
const DECISIONS: u32 = 20;

/// The columns beyond those of a search result.
#[derive(Deserialize)]
struct CaseRow {
    #[serde(flatten)]
    content: ContentRow,
    duration_ms: u64,
    scheduled_publish_at_unix: Option<UnixSeconds>,
    waits_since_unix: Option<UnixSeconds>,
    media: Option<String>,
    findings: String,
    flag: Option<String>,
    appeal: Option<String>,
    channel: String,
    claim: Option<String>,
    is_compacted: u8,
    details_generation: u64,
}

#[derive(Deserialize)]
struct ChannelColumn {
    name: Option<String>,
    is_suspended: u8,
    created_at_unix: u64,
    published: u64,
    rejected: u64,
    taken_down: u64,
    processing: u64,
}

/// Counts the channel's contents in a state. Never reads more rows than it can report.
macro_rules! count_of {
    ($state:literal) => {
        constcat::concat!(
            "'",
            $state,
            "', (SELECT count(*) FROM (SELECT 1 FROM contents AS others INDEXED BY contents_by_state
                 WHERE others.channel_id = channels.id AND others.state = '",
            $state,
            "' LIMIT 100))"
        )
    };
}

const SELECT: &str = constcat::concat!(
    "SELECT contents.id, uuid, channel_id, state, waits_for,
         coalesce(contents.caption, (SELECT caption FROM evidence WHERE content_id = contents.id)) AS caption,
         coalesce(ai_summary_of_content, (
             SELECT summary FROM evidence WHERE content_id = contents.id)) AS summary,
         media IS NOT NULL AS has_video, media_name, is_unlisted, is_sensitive, is_ai_generated,
         contents.created_at_unix, published_at_unix, duration_ms,
         scheduled_publish_at_unix, waits_since_unix, media,
         (SELECT json_group_array(json_object('check', check_name, 'recommendation', recommendation,
             'from_ms', from_ms, 'until_ms', until_ms, 'score', score, 'note', note) ORDER BY number)
          FROM findings WHERE content_id = contents.id AND findings.generation = (
              SELECT max(generation) FROM reports WHERE content_id = contents.id AND kind = 'processed')) AS findings,
         (SELECT json_object('flagged_at_unix', flagged_at_unix, 'hash', hash, 'reports', reports,
             'latest_reports', json((SELECT json_group_array(json_object(
                 'reason', reason, 'text', text, 'reported_at_unix', reported_at_unix))
                 FROM (SELECT * FROM abuse_reports WHERE abuse_reports.content_id = flags.content_id
                       ORDER BY reported_at_unix DESC LIMIT 20))))
          FROM flags WHERE content_id = contents.id) AS flag,
         (SELECT json_object('state', appeals.state, 'text', text, 'made_at_unix', made_at_unix,
             'decided_by', (SELECT made_by FROM decisions WHERE decisions.id = decision_id))
          FROM appeals WHERE content_id = contents.id) AS appeal,
         json_object('name', name, 'is_suspended', suspended_at_unix IS NOT NULL,
             'created_at_unix', channels.created_at_unix, ",
    count_of!("published"),
    ", ",
    count_of!("rejected"),
    ", ",
    count_of!("taken_down"),
    ", ",
    count_of!("processing"),
    ") AS channel, ",
    SLUG_COLUMN,
    ", ",
    CLAIM_COLUMN,
    ", is_compacted, ",
    DETAILS_GENERATION,
    " AS details_generation FROM contents JOIN channels ON channels.id = channel_id WHERE uuid = ?1"
);

/// Returns the case of a content in any state. The findings of a compacted content are in the object store.
pub(crate) async fn find(
    database: &impl Database,
    objects: &impl ObjectStore,
    content_uuid: &ContentUuid,
    review: ReviewAddresses<'_>,
    now: UnixSeconds,
) -> Result<Option<ModerationCase>, PlatformError> {
    let row: Option<CaseRow> = database.first(Statement::new(SELECT).bind(content_uuid)).await?;
    let Some(mut row) = row else { return Ok(None) };
    if row.is_compacted != 0 {
        let details = read_details(objects, content_uuid, row.details_generation).await?;
        row.findings =
            Value::from(details.latest_findings().into_iter().map(as_finding).collect::<Vec<_>>()).to_string();
    }
    let decisions = history::list(database, Some(content_uuid), None, DECISIONS).await?;
    let mut case = row.into_case(content_uuid, review, now)?;
    case.decisions = decisions.into_iter().map(|entry| entry.decision).collect();
    Ok(Some(case))
}

/// Returns a stored row of `findings` as a finding.
fn as_finding(row: &Value) -> Value {
    let mut finding = row.clone();
    if let Some(check) = row.get("check_name")
        && let Some(members) = finding.as_object_mut()
    {
        members.insert("check".to_owned(), check.clone());
    }
    finding
}

impl CaseRow {
    fn into_case(
        self,
        uuid: &ContentUuid,
        review: ReviewAddresses<'_>,
        now: UnixSeconds,
    ) -> Result<ModerationCase, DatabaseError> {
        let media = self.media.as_deref().and_then(|media| readable(uuid, "media", read_media(media)));
        let file = |file| review.stored_file_of(uuid, media.as_ref(), file);
        let findings: Vec<Finding> = readable(uuid, "findings", read_column(&self.findings)).unwrap_or_default();
        let flag: Option<CaseFlag> = self.flag.as_deref().map(read_column).transpose()?;
        let appeal: Option<CaseAppeal> = self.appeal.as_deref().map(read_column).transpose()?;
        let channel: ChannelColumn = read_column(&self.channel)?;
        let content = self.content.into_found(review);
        Ok(ModerationCase {
            success: true,
            duration_ms: media.as_ref().map_or(self.duration_ms, |media| media.duration_ms),
            scheduled_publish_at_unix: self.scheduled_publish_at_unix.map(|time| time.0),
            waits_since_unix: self.waits_since_unix.map(|time| time.0),
            findings,
            flag,
            appeal,
            decisions: Vec::new(),
            channel: CaseChannel {
                channel_id: content.channel_id,
                name: channel.name,
                is_suspended: channel.is_suspended != 0,
                created_at_unix: channel.created_at_unix,
                published: channel.published,
                rejected: channel.rejected,
                taken_down: channel.taken_down,
                processing: channel.processing,
            },
            poster_url: file(MediaFile::Poster),
            storyboard_url: file(MediaFile::Storyboard),
            storyboard_vtt_url: file(MediaFile::StoryboardTrack),
            video_url: file(MediaFile::Video),
            subtitles: media.as_ref().map_or_else(Vec::new, |media| subtitles(uuid, media, review)),
            claim: read_claim(self.claim.as_deref(), now)?,
            content,
        })
    }
}

fn subtitles(uuid: &ContentUuid, media: &StoredMedia, review: ReviewAddresses<'_>) -> Vec<CaseSubtitles> {
    let tracks = media.subtitles.iter();
    let shown = tracks.map(|track| CaseSubtitles {
        language: track.language.clone().unwrap_or_else(|| "und".to_owned()),
        url: review.file_of(uuid, MediaFile::Subtitles(track.number)),
    });
    shown.collect()
}
