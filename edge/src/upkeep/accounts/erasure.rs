//! Erases an account in many small transactions, so that an interrupted erasure continues where it stopped.

use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::door::{self, Find, LeftOut};
use crate::contents::life::{Command, Life};
use crate::contents::test_videos;
use crate::moderation::suspensions;
use crate::people::failed_requests;
use crate::people::keys::channels::{self, ChannelRow};
use crate::people::keys::key_store;
use crate::people::keys::open_uploads::end_resumable_uploads;
use crate::platform::Platform;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, Value};
use crate::platform::error::PlatformError;
use crate::webhooks;
use serde::Deserialize;

/// The number of contents that one transaction deletes. Deleting a content writes about 20 rows.
const CONTENTS: u32 = 50;
/// The number of records of each kind that one transaction deletes.
const RECORDS: u32 = 500;
/// The number of transactions in one call.
const PARTS: u32 = 20;
/// The highest number in the progress. Counting all contents of a large channel each time would take too long.
const MAX_COUNTED: u32 = 1_000;
/// The maximum number of accounts that one sweep continues to erase.
const ACCOUNTS: u32 = 5;
/// The delay until the next attempt if nothing could be deleted. Files are deleted an hour after their content.
pub(super) const RETRY_SECONDS: u64 = 3600;

/// An operator's order to erase an account.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErasureOrder<'a> {
    pub account_id: u64,
    pub reason: &'a str,
    pub by: &'a str,
    /// The time until which the evidence of its removed contents is kept.
    pub evidence_until: UnixSeconds,
}

/// The progress of an erasure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct ErasureProgress {
    /// The number of contents that are not deleted yet, but already hidden.
    pub contents_left: u64,
    /// The number of deleted contents whose files or evidence still exist.
    pub contents_waiting: u64,
    /// The number of deleted contents whose rows are kept without texts, because decisions or blocks refer to them.
    pub contents_kept: u64,
    /// 1 if events, webhooks or other records are left, otherwise 0.
    records_left: u64,
}

impl ErasureProgress {
    pub(crate) fn is_finished(self) -> bool {
        self.contents_left == 0 && self.contents_waiting == 0 && self.records_left == 0
    }
}

/// Closes the account permanently, and returns its channel, or `None` if there is no such account. Repeating it changes
/// nothing.
pub(crate) async fn begin(
    database: &impl Database,
    order: ErasureOrder<'_>,
    now: UnixSeconds,
) -> Result<Option<ChannelId>, DatabaseError> {
    let record = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT ?2, 'account_erased', 'channel:' || id, ?3 FROM channels
         WHERE account_id = ?1 AND erased_at_unix IS NULL",
    );
    let close = Statement::new(
        "UPDATE channels SET erased_at_unix = ?2, evidence_until_unix = ?3,
             suspended_at_unix = coalesce(suspended_at_unix, ?2)
         WHERE account_id = ?1 AND erased_at_unix IS NULL",
    );
    let mut batch = Batch::default();
    batch.execute(record.bind(order.account_id).bind(order.by).bind(order.reason));
    batch.execute(close.bind(order.account_id).bind(now).bind(order.evidence_until));
    add_consequences(&mut batch, "account_id = ?1 AND erasure_due_at_unix IS NULL", &[order.account_id.into()]);
    database.run(batch).await?;
    channels::find_channel(database, order.account_id).await
}

/// Adds the consequences for channels that were just closed and that a condition selects: they lose their name and key,
/// their webhooks are disabled, and their published contents are hidden.
pub(crate) fn add_consequences(batch: &mut Batch, condition: &str, values: &[Value]) {
    let closed = format!("erased_at_unix IS NOT NULL AND {condition}");
    let of_channels = format!("channel_id IN (SELECT id FROM channels WHERE {closed})");
    suspensions::add_consequences(batch, &closed, values);
    key_store::delete_keys(batch, &of_channels, values);
    webhooks::disable(batch, &of_channels, values);
    let forget =
        format!("UPDATE channels SET name = NULL, daily_upload_limit = 0, erasure_due_at_unix = 0 WHERE {closed}");
    batch.execute(values.iter().cloned().fold(Statement::new(forget), Statement::bind));
}

/// Continues the erasure for one call's share of work, and returns its progress.
pub(crate) async fn continue_erasure<P: Platform>(
    platform: &P,
    channel_id: ChannelId,
) -> Result<ErasureProgress, PlatformError> {
    let now = platform.now();
    failed_requests::erase(platform.objects(), channel_id, now).await?;
    Ok(erase_parts(platform.database(), channel_id, now).await?)
}

/// Deletes contents and records, for one call's share of transactions.
async fn erase_parts(
    database: &impl Database,
    channel_id: ChannelId,
    now: UnixSeconds,
) -> Result<ErasureProgress, DatabaseError> {
    let (mut has_more, mut left_out) = (true, LeftOut::default());
    for _ in 0..PARTS {
        has_more = delete_contents_and_records(database, channel_id, &mut left_out, now).await?
            || delete_rows(database, channel_id).await?;
        if !has_more {
            break;
        }
    }
    let progress = read_progress(database, channel_id).await?;
    let next = if has_more { now } else { now + RETRY_SECONDS };
    set_due(database, channel_id, Some(next).filter(|_| !progress.is_finished())).await?;
    left_out.into_given_up().map(|()| progress)
}

async fn set_due(
    database: &impl Database,
    channel_id: ChannelId,
    due: Option<UnixSeconds>,
) -> Result<(), DatabaseError> {
    let update = Statement::new("UPDATE channels SET erasure_due_at_unix = ?2 WHERE id = ?1");
    database.execute(update.bind(channel_id).bind(due)).await
}

/// Continues the erasures that are due, and returns the number of accounts that are now erased completely. An account
/// that cannot be erased is tried again after all others.
pub(crate) async fn continue_due<P: Platform>(platform: &P) -> Result<u64, PlatformError> {
    let (database, now) = (platform.database(), platform.now());
    let select =
        Statement::new("SELECT id FROM channels WHERE erasure_due_at_unix <= ?1 ORDER BY erasure_due_at_unix LIMIT ?2");
    let due: Vec<ChannelRow> = database.all(select.bind(now).bind(ACCOUNTS)).await?;
    let (mut finished, mut first_error) = (0, None);
    for ChannelRow { id } in due {
        match continue_erasure(platform, id).await {
            Ok(progress) => finished += u64::from(progress.is_finished()),
            Err(error) => {
                first_error.get_or_insert(error);
                set_due(database, id, Some(now)).await?;
            }
        }
    }
    first_error.map_or(Ok(finished), Err)
}

/// Deletes some contents, as if their owner had, and some records. Returns whether there were any.
async fn delete_contents_and_records(
    database: &impl Database,
    channel_id: ChannelId,
    left_out: &mut LeftOut,
    now: UnixSeconds,
) -> Result<bool, DatabaseError> {
    let remaining = Find::Remaining { channel_id, at_most: CONTENTS };
    let contents = door::apply_to_all(database, remaining, |_: &Life| Some(Command::Erase), left_out, now).await?;
    let mut batch = Batch::default();
    let statement = |sql: &'static str| Statement::new(sql).bind(channel_id).bind(RECORDS);
    batch.execute(statement(DELETE_DELIVERIES_OF_EVENTS));
    let deleted = [DELETE_EVENTS, DELETE_DELIVERIES, DELETE_WEBHOOKS, DELETE_USAGE, DELETE_DIRECT_UPLOADS]
        .map(|sql| batch.query::<()>(statement(sql)));
    let uploads = end_resumable_uploads(&mut batch, SOME_RESUMABLE_UPLOADS, &[channel_id.into(), RECORDS.into()]);
    let tests = test_videos::steps::delete(&mut batch, SOME_TEST_VIDEOS, &[channel_id.into(), RECORDS.into()]);
    let deleted = deleted.into_iter().chain([uploads, tests]);
    let answers = database.run(batch).await?;
    Ok(contents.found != 0 || deleted.into_iter().any(|query| answers.has_rows(query)))
}

/// Deletes the deliveries of the events that the next statement deletes.
const DELETE_DELIVERIES_OF_EVENTS: &str = "
    DELETE FROM webhook_deliveries WHERE (webhook_id, event_id) IN (
        SELECT webhooks.id, events.id
        FROM (SELECT id FROM events WHERE channel_id = ?1 ORDER BY sequence LIMIT ?2) AS events
            JOIN webhooks ON webhooks.channel_id = ?1)";

const DELETE_EVENTS: &str = "
    DELETE FROM events WHERE id IN (SELECT id FROM events WHERE channel_id = ?1 ORDER BY sequence LIMIT ?2)
    RETURNING id";

/// Deletes other deliveries, such as deliveries of expired events.
const DELETE_DELIVERIES: &str = "
    DELETE FROM webhook_deliveries WHERE (webhook_id, event_id) IN (
        SELECT webhook_id, event_id FROM webhook_deliveries
        WHERE webhook_id IN (SELECT id FROM webhooks WHERE channel_id = ?1) LIMIT ?2)
    RETURNING event_id";

const DELETE_WEBHOOKS: &str = "
    DELETE FROM webhooks WHERE id IN (SELECT id FROM webhooks WHERE channel_id = ?1
        AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_id = webhooks.id) LIMIT ?2)
    RETURNING id";

const DELETE_USAGE: &str = "
    DELETE FROM daily_usage WHERE channel_id = ?1
        AND day IN (SELECT day FROM daily_usage WHERE channel_id = ?1 LIMIT ?2)
    RETURNING day";

const DELETE_DIRECT_UPLOADS: &str = "
    DELETE FROM direct_uploads WHERE id IN (SELECT id FROM direct_uploads WHERE channel_id = ?1 LIMIT ?2)
    RETURNING id";

/// The outcomes of resumable uploads. Unfinished ones end with the key.
const SOME_RESUMABLE_UPLOADS: &str = "secret_sha256 IN (
        SELECT secret_sha256 FROM resumable_uploads WHERE channel_id = ?1 LIMIT ?2)";

const SOME_TEST_VIDEOS: &str = "id IN (SELECT id FROM test_videos WHERE channel_id = ?1 LIMIT ?2)";

/// A deleted content that still has files or evidence.
const IS_WAITING: &str = "(EXISTS (SELECT 1 FROM cleanups WHERE content_id = contents.id)
          OR EXISTS (SELECT 1 FROM evidence WHERE evidence.content_id = contents.id))";

/// A content that a decision, a blocked hash or a blocked file refers to.
const IS_KEPT: &str = "(EXISTS (SELECT 1 FROM decisions WHERE decisions.content_id = contents.id)
          OR EXISTS (SELECT 1 FROM blocked_hashes WHERE blocked_hashes.content_id = contents.id)
          OR EXISTS (SELECT 1 FROM blocked_files WHERE blocked_files.content_id = contents.id))";

/// Deletes the unneeded rows of deleted contents. Returns whether there were any.
async fn delete_rows(database: &impl Database, channel_id: ChannelId) -> Result<bool, DatabaseError> {
    let is_unneeded = constcat::concat!("NOT ", IS_WAITING, " AND NOT ", IS_KEPT);
    let has_deleted = door::delete_erased_rows(database, channel_id, is_unneeded, CONTENTS).await?;
    // The client's token, and a hash of its texts.
    let forget = Statement::new(constcat::concat!(
        "UPDATE uploads SET upload_token = NULL, fingerprint = NULL
         WHERE (upload_token IS NOT NULL OR fingerprint IS NOT NULL) AND id IN (
             SELECT id FROM contents WHERE channel_id = ?1 AND state = 'deleted' AND ",
        IS_KEPT,
        " LIMIT ?2) RETURNING id"
    ));
    database.execute(forget.bind(channel_id).bind(RECORDS)).await?;
    Ok(has_deleted)
}

async fn read_progress(database: &impl Database, channel_id: ChannelId) -> Result<ErasureProgress, DatabaseError> {
    let select = Statement::new(constcat::concat!(
        "SELECT (SELECT count(*) FROM (SELECT 1 FROM contents WHERE channel_id = ?1
                 AND state IN ('processing', 'scheduled', 'published', 'rejected', 'failed', 'taken_down') LIMIT ?2)
             ) AS contents_left,
             (SELECT count(*) FROM (SELECT 1 FROM contents WHERE channel_id = ?1 AND state = 'deleted' AND ",
        IS_WAITING,
        " LIMIT ?2)) AS contents_waiting,
             (SELECT count(*) FROM (SELECT 1 FROM contents WHERE channel_id = ?1 AND state = 'deleted' AND NOT ",
        IS_WAITING,
        " AND ",
        IS_KEPT,
        " LIMIT ?2)) AS contents_kept,
             (EXISTS (SELECT 1 FROM events WHERE channel_id = ?1)
              OR EXISTS (SELECT 1 FROM webhooks WHERE channel_id = ?1)
              OR EXISTS (SELECT 1 FROM daily_usage WHERE channel_id = ?1)
              OR EXISTS (SELECT 1 FROM resumable_uploads WHERE channel_id = ?1)
              OR EXISTS (SELECT 1 FROM direct_uploads WHERE channel_id = ?1)
              OR EXISTS (SELECT 1 FROM test_videos WHERE channel_id = ?1)
              OR EXISTS (SELECT 1 FROM contents WHERE channel_id = ?1 AND state = 'deleted' AND NOT ",
        IS_WAITING,
        " AND NOT ",
        IS_KEPT,
        ")) AS records_left"
    ));
    let progress = database.first(select.bind(channel_id).bind(MAX_COUNTED)).await?;
    progress.ok_or_else(|| DatabaseError::Shape("the progress of an erasure has no row".to_owned()))
}
