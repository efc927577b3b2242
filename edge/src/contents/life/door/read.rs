//! Reads contents with their jobs, their captions and the facts that the rules need.

use crate::base::daily_limit::day_of;
use crate::base::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::life::Life;
use crate::contents::life::rules::appeal::{LATEST_REMOVAL, MAY_BE_APPEALED};
use crate::platform::database::{Database, DatabaseError, Statement, Value, read_column, read_row};
use serde_json::Value as Json;

/// Identifies a content, and the channel that must own it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnedContent<'a> {
    pub channel_id: ChannelId,
    pub content_uuid: &'a ContentUuid,
}

/// The contents that a command is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Find<'a> {
    Uuid(&'a ContentUuid),
    Owned(OwnedContent<'a>),
    Ids(&'a [u64]),
    /// Scheduled contents whose time has come. Contents that need a release are never due, nor are contents with a
    /// removal that was not repeated yet since the database was restored.
    DueSchedules {
        at_most: u32,
    },
    /// Contents with a job that the sweep has to look at.
    DueJobs {
        at_most: u32,
    },
    /// The contents of a channel that are not deleted.
    Remaining {
        channel_id: ChannelId,
        at_most: u32,
    },
    /// Contents with a job that was started before the database was restored.
    JobsOfEarlierEpochs {
        at_most: u32,
    },
}

/// `?1` is the day, `?2` a file that may have been stored, and `?3` the time.
const LIFE: &str = constcat::concat!(
    "
    SELECT contents.*, uploads.uuid AS upload_uuid, source ->> '$.size_bytes' AS size_bytes, account_id, erased_at_unix,
        evidence_until_unix, daily_upload_limit,
        (SELECT number FROM current_epoch) AS epoch,
        (SELECT flagged_at_unix FROM flags WHERE flags.content_id = contents.id) AS flagged_at_unix,
        (SELECT evidence.state FROM evidence WHERE evidence.content_id = contents.id) AS evidence,
        (SELECT action FROM decisions WHERE decisions.content_id = contents.id AND action <> 'label'
         ORDER BY decisions.id DESC LIMIT 1) AS last_action,
        appeals.state AS appeal, appeals.text AS appeal_text, appeals.made_at_unix AS appealed_at_unix,
        ",
    MAY_BE_APPEALED,
    ",
        coalesce((SELECT content_changes FROM daily_usage
            WHERE daily_usage.channel_id = contents.channel_id AND day = ?1), 0) AS content_changes,
        (SELECT turn_unix FROM jobs WHERE jobs.channel_id = contents.channel_id AND jobs.state = 'later'
             AND jobs.content_id <> contents.id ORDER BY turn_unix DESC LIMIT 1) AS latest_later_turn_unix,
        EXISTS (SELECT 1 FROM garbage WHERE garbage.upload_uuid = ?2 AND lease_ends_at_unix > ?3) AS is_file_stored,
        (SELECT json_group_array(json_object('content_id', content_id, 'channel_id', jobs.channel_id, 'kind', kind,
            'state', jobs.state, 'generation', jobs.generation, 'input', input, 'traceparent', traceparent,
            'enqueued_at_unix', enqueued_at_unix, 'turn_unix', turn_unix, 'sendings', sendings,
            'sent_at_unix', sent_at_unix, 'due_at_unix', due_at_unix, 'attempt', attempt,
            'claimed_by', claimed_by, 'claim_ends_at_unix', claim_ends_at_unix,
            'last_signed_at_unix', last_signed_at_unix, 'stage', stage, 'percent', percent,
            'undecided_failures', undecided_failures, 'silences', silences, 'check_waits', check_waits, 'report', report, 'error_code', jobs.error_code,
            'error_detail', jobs.error_detail, 'ended_at_unix', ended_at_unix))
         FROM jobs WHERE jobs.content_id = contents.id) AS jobs,
        (SELECT json_group_array(json_object('name', captions.name, 'language', language, 'sha256', sha256,
            'is_wanted', is_wanted, 'is_shown', is_shown))
         FROM captions WHERE captions.content_id = contents.id) AS captions
    FROM contents JOIN uploads ON uploads.id = contents.id JOIN channels ON channels.id = contents.channel_id
        LEFT JOIN appeals ON appeals.content_id = contents.id AND decision_id = ",
    LATEST_REMOVAL,
    " WHERE "
);

impl Find<'_> {
    /// Returns the UUID if it names one content.
    pub(super) fn uuid(&self) -> Option<&ContentUuid> {
        match self {
            Self::Uuid(content_uuid) | Self::Owned(OwnedContent { content_uuid, .. }) => Some(content_uuid),
            _ => None,
        }
    }

    pub(super) fn statement(self, file: Option<&UploadUuid>, now: UnixSeconds) -> Statement {
        self.statement_without("[]", file, now)
    }

    /// Returns the statement without the contents that were left out, given as a JSON array of ids.
    fn statement_without(self, left_out: &str, file: Option<&UploadUuid>, now: UnixSeconds) -> Statement {
        let (condition, values): (_, Vec<Value>) = match self {
            Self::Uuid(uuid) => ("contents.uuid = ?4", vec![uuid.into()]),
            Self::Owned(content) => (
                "contents.uuid = ?4 AND contents.channel_id = ?5",
                vec![content.content_uuid.into(), content.channel_id.into()],
            ),
            Self::Ids(ids) => {
                ("contents.id IN (SELECT value FROM json_each(?4))", vec![Json::from(ids).to_string().into()])
            }
            Self::DueSchedules { at_most } => (
                "contents.id IN (SELECT id FROM contents
                     WHERE state = 'scheduled' AND needs_release = 0 AND scheduled_publish_at_unix <= ?4
                         AND id NOT IN (SELECT value FROM json_each(?6))
                         AND NOT EXISTS (SELECT 1 FROM removals INDEXED BY removals_to_repeat
                             WHERE is_pending = 1 AND kind IN ('content', 'schedule') AND subject = contents.uuid)
                         AND NOT EXISTS (SELECT 1 FROM removals INDEXED BY removals_to_repeat
                             WHERE is_pending = 1 AND kind = 'channel' AND subject = (
                                 SELECT CAST(account_id AS TEXT) FROM channels WHERE id = contents.channel_id))
                     ORDER BY scheduled_publish_at_unix LIMIT ?5)",
                vec![now.into(), at_most.into(), left_out.into()],
            ),
            Self::DueJobs { at_most } => (
                "contents.id IN (SELECT content_id FROM jobs
                     WHERE due_at_unix <= ?4 AND content_id NOT IN (SELECT value FROM json_each(?6))
                     ORDER BY due_at_unix LIMIT ?5)",
                vec![now.into(), at_most.into(), left_out.into()],
            ),
            Self::JobsOfEarlierEpochs { at_most } => (
                "contents.id IN (SELECT content_id FROM (
                     SELECT content_id, generation FROM jobs WHERE state IN ('held', 'due', 'claimed')
                     UNION ALL
                     SELECT content_id, generation FROM jobs WHERE state = 'later'
                     UNION ALL
                     SELECT content_id, generation FROM jobs WHERE state = 'waiting' AND due_at_unix IS NOT NULL)
                     WHERE generation < (SELECT number * 1000000 FROM current_epoch)
                         AND content_id NOT IN (SELECT value FROM json_each(?5)) LIMIT ?4)",
                vec![at_most.into(), left_out.into()],
            ),
            Self::Remaining { channel_id, at_most } => (
                "contents.id IN (SELECT id FROM contents WHERE channel_id = ?4 AND state IN
                     ('processing', 'scheduled', 'published', 'rejected', 'failed', 'taken_down')
                     AND id NOT IN (SELECT value FROM json_each(?6)) LIMIT ?5)",
                vec![channel_id.into(), at_most.into(), left_out.into()],
            ),
        };
        let select = Statement::new(format!("{LIFE}{condition}")).bind(day_of(now)).bind(file).bind(now);
        values.into_iter().fold(select, Statement::bind)
    }
}

/// Returns the statement that reads one content.
pub(crate) fn select_by_uuid(uuid: &ContentUuid, now: UnixSeconds) -> Statement {
    Find::Uuid(uuid).statement(None, now)
}

pub(super) async fn read(
    database: &impl Database,
    find: Find<'_>,
    file: Option<&UploadUuid>,
    now: UnixSeconds,
) -> Result<Vec<Life>, DatabaseError> {
    let rows: Vec<Json> = database.all(find.statement(file, now)).await?;
    rows.iter().map(life_of).collect()
}

/// Reads contents like `read`, but a row that cannot be read does not fail the others. It is returned with its error.
/// Contents that were left out are not read again.
pub(super) async fn read_each(
    database: &impl Database,
    find: Find<'_>,
    left_out: &str,
    now: UnixSeconds,
) -> Result<(Vec<Life>, Vec<(Json, DatabaseError)>), DatabaseError> {
    let rows: Vec<Json> = database.all(find.statement_without(left_out, None, now)).await?;
    let (mut lives, mut unreadable) = (Vec::new(), Vec::new());
    for row in rows {
        match life_of(&row) {
            Ok(life) => lives.push(life),
            Err(error) => unreadable.push((row, error)),
        }
    }
    Ok((lives, unreadable))
}

pub(crate) fn life_of(row: &Json) -> Result<Life, DatabaseError> {
    let list = |name: &str| row.get(name).and_then(Json::as_str).unwrap_or("[]");
    Ok(Life {
        content: read_row(row)?,
        jobs: read_column(list("jobs"))?,
        captions: read_column(list("captions"))?,
        facts: read_row(row)?,
    })
}
