//! The changes that an owner may make to a content: delete it, reschedule it, or publish it now.
//!
//! Each change is one transaction that checks the state itself, so it is safe to repeat and to run alongside any other.
//! The database enforces the transitions of `contract::TRANSITIONS`.

use crate::ids::{ChannelId, ContentUuid};
use crate::keys::daily_changes::{bind_content_limit, content_change_limit, content_changes_are, count_change};
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;
use contract::{ContentState, ErrorCode};
use serde::Deserialize;

/// Identifies a content, and the channel that must own it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnedContent<'a> {
    pub channel_id: ChannelId,
    pub content_uuid: &'a ContentUuid,
}

/// The state of a content and its publication times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct PublicationStatus {
    pub state: ContentState,
    pub scheduled_publish_at_unix: Option<UnixSeconds>,
    pub published_at_unix: Option<UnixSeconds>,
}

/// The result of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeOutcome {
    Done(PublicationStatus),
    /// The change is not possible in this state.
    Conflict(ContentState),
    /// The channel has made as many changes today as it may.
    LimitReached,
    /// The channel has no such content.
    UnknownContent,
}

/// The statement that deletes contents and their owner's texts at the time `?3`, without its condition.
macro_rules! delete_contents {
    () => {
        "UPDATE contents SET state = 'deleted', caption = NULL, ai_summary_of_content = NULL, external_id = NULL,
             metadata = NULL, traceparent = NULL, waits_for = NULL, waits_since_unix = NULL, claimed_by = NULL, claim_ends_at_unix = NULL,
             finished_at_unix = coalesce(finished_at_unix, ?3)
         "
    };
}
pub(crate) use delete_contents;

/// Deletes the content in any state. Deleting it again changes nothing. The sweep deletes its objects.
///
/// If moderation had removed it, or if it is flagged and nobody has decided yet, its texts are kept as evidence until
/// the given time, and the sweep deletes its objects no earlier.
pub(crate) async fn delete(
    database: &impl Database,
    content: OwnedContent<'_>,
    now: UnixSeconds,
    evidence_until: UnixSeconds,
) -> Result<ChangeOutcome, DatabaseError> {
    let keep = Statement::new(
        "INSERT INTO evidence (content_id, state, caption, summary, deleted_at_unix, kept_until_unix)
         SELECT id, state, caption, ai_summary_of_content, ?3, ?4 FROM contents
         WHERE uuid = ?1 AND channel_id = ?2 AND ?4 > ?3 AND (
             (state IN ('rejected', 'taken_down') AND error_code = ?5)
             OR (state IN ('scheduled', 'published') AND EXISTS (SELECT 1 FROM flags WHERE content_id = contents.id)))
         ON CONFLICT DO NOTHING",
    );
    let keep = content.bind(keep).bind(now).bind(evidence_until).bind(ErrorCode::ContentModerationRejected);
    // The owner's texts are deleted at once.
    let delete = Statement::new(concat!(
        delete_contents!(),
        "WHERE uuid = ?1 AND channel_id = ?2 AND state <> 'deleted' RETURNING id"
    ));
    let is_done = |status: &PublicationStatus| status.state == ContentState::Deleted;
    change(database, content, vec![keep, content.bind(delete).bind(now)], is_done).await
}

/// Counts a new publication time, which leaves a row in the removal log.
const COUNT_TIME: &str = count_change!(
    "content_changes",
    content_change_limit!("?5", "?6"),
    "SELECT channel_id, ?4, 0, 1 FROM contents
     WHERE uuid = ?1 AND channel_id = ?2 AND state IN ('processing', 'scheduled') AND scheduled_publish_at_unix IS NOT ?3"
);
const RESCHEDULE: &str = concat!(
    "UPDATE contents SET scheduled_publish_at_unix = ?3
     WHERE uuid = ?1 AND channel_id = ?2 AND state IN ('processing', 'scheduled')
         AND (scheduled_publish_at_unix IS ?3 OR NOT ",
    content_changes_are!(">", "?4", "?5", "?6"),
    ") RETURNING id"
);

/// Changes the publication time of a content that is not public yet.
pub(crate) async fn reschedule(
    database: &impl Database,
    content: OwnedContent<'_>,
    time: UnixSeconds,
    now: UnixSeconds,
) -> Result<ChangeOutcome, DatabaseError> {
    let bind = |sql| bind_content_limit(content.bind(Statement::new(sql)).bind(time), now);
    let outcome = change(database, content, vec![bind(COUNT_TIME), bind(RESCHEDULE)], |_| false).await?;
    Ok(match outcome {
        // In these states, only the limit prevents it.
        ChangeOutcome::Conflict(ContentState::Processing | ContentState::Scheduled) => ChangeOutcome::LimitReached,
        outcome => outcome,
    })
}

/// Removes the publication time. An approved content is published at once, a processing one when it is approved.
pub(crate) async fn publish_now(
    database: &impl Database,
    content: OwnedContent<'_>,
    now: UnixSeconds,
) -> Result<ChangeOutcome, DatabaseError> {
    let publish = Statement::new(
        "UPDATE contents SET scheduled_publish_at_unix = NULL,
             published_at_unix = CASE state WHEN 'scheduled' THEN ?3 ELSE published_at_unix END,
             state = CASE state WHEN 'scheduled' THEN 'published' ELSE state END
         WHERE uuid = ?1 AND channel_id = ?2 AND state IN ('processing', 'scheduled')
         RETURNING id",
    );
    let is_done = |status: &PublicationStatus| status.state.is_public();
    change(database, content, vec![content.bind(publish).bind(now)], is_done).await
}

impl OwnedContent<'_> {
    fn bind(self, statement: Statement) -> Statement {
        statement.bind(self.content_uuid).bind(self.channel_id)
    }
}

/// Runs the statements, the last of which is the change, and reads the resulting status. `is_done` recognises a
/// repeated request, which changes nothing.
async fn change(
    database: &impl Database,
    content: OwnedContent<'_>,
    mut statements: Vec<Statement>,
    is_done: impl Fn(&PublicationStatus) -> bool,
) -> Result<ChangeOutcome, DatabaseError> {
    let read = Statement::new(
        "SELECT state, scheduled_publish_at_unix, published_at_unix FROM contents
         WHERE uuid = ?1 AND channel_id = ?2",
    );
    let mut batch = Batch::default();
    let last = statements.pop();
    for statement in statements {
        batch.execute(statement);
    }
    let changed = last.map(|statement| batch.query::<()>(statement));
    let status = batch.query::<PublicationStatus>(content.bind(read));
    let answers = database.run(batch).await?;
    let is_changed = changed.is_some_and(|changed| answers.has_rows(changed));
    Ok(match answers.first(status)? {
        None => ChangeOutcome::UnknownContent,
        Some(status) if is_changed || is_done(&status) => ChangeOutcome::Done(status),
        Some(status) => ChangeOutcome::Conflict(status.state),
    })
}
