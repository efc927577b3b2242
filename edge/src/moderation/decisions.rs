//! A moderator's decision about a content: approve it, reject it, take it down, or reverse its removal.
//!
//! Removed content stays removed: the decision also blocks its frames and its file. Reversing the decision withdraws
//! these blocks. A flagged content that its owner deleted before the decision can still be rejected or taken down.
//!
//! The decision, its record and its effect are one transaction under one condition. The record distinguishes a
//! repeated decision from one that is too late.

use crate::ids::ContentUuid;
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;
use contract::api::DecisionAction;
use contract::moderation::FrameHash;
use contract::{ContentState, ErrorCode};
use serde::Deserialize;

/// The time in which the removal of a content can be reversed. Its files are deleted later.
pub(crate) const REVERSIBLE_SECONDS: u64 = 30 * 86_400;

/// A decision, who made it, and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecisionRequest<'a> {
    pub kind: DecisionKind,
    pub content_uuid: &'a ContentUuid,
    pub reason: &'a str,
    pub by: &'a str,
    /// The stored hashes of the content's frames. Empty for an approval or a restoration, or if they were not kept.
    pub kept_frames: &'a [FrameHash],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecisionKind {
    Approve,
    /// Also blocks the content's frames and its file.
    Reject,
    /// Removes an approved content. Also blocks its frames and its file.
    TakeDown,
    /// Reverses a rejection or a removal by a moderator.
    Restore,
}

/// The result of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecisionOutcome {
    Done(ContentState),
    /// The decision is not possible in this state.
    Conflict(ContentState),
    UnknownContent,
}

/// The content waits for a moderator, or for a check that was not possible. A moderator may decide in both cases.
macro_rules! is_waiting {
    () => {
        "contents.state = 'processing' AND waits_for IS NOT NULL AND media IS NOT NULL"
    };
}
macro_rules! is_approved {
    () => {
        "contents.state IN ('scheduled', 'published')"
    };
}
/// The owner deleted a flagged content before anybody decided, and its evidence is kept.
macro_rules! is_undecided {
    () => {
        "contents.state = 'deleted' AND EXISTS (SELECT 1 FROM evidence
             WHERE evidence.content_id = contents.id AND evidence.state IN ('scheduled', 'published'))"
    };
}
macro_rules! where_either {
    ($condition:expr $(, $other:expr)*) => {
        concat!(" WHERE uuid = ?1 AND (", $condition, $(" OR ", $other,)* ")")
    };
}
/// A moderator removed the content, and its files are not deleted yet.
macro_rules! where_removed {
    () => {
        " WHERE uuid = ?1 AND contents.state IN ('rejected', 'taken_down') AND media IS NOT NULL
             AND media_generation IS NOT NULL AND finished_at_unix > "
    };
}
macro_rules! insert_decision {
    () => {
        "INSERT INTO decisions (action, content_id, generation, reason, made_by, decided_at_unix)
         SELECT ?5, id, generation, ?2, ?3, ?4 FROM contents"
    };
}

const RECORD_OF_WAITING: &str = concat!(insert_decision!(), where_either!(is_waiting!()));
const RECORD_OF_REJECTED: &str = concat!(insert_decision!(), where_either!(is_waiting!(), is_undecided!()));
const RECORD_OF_TAKEN_DOWN: &str = concat!(insert_decision!(), where_either!(is_approved!(), is_undecided!()));
const RECORD_OF_REMOVED: &str = concat!(insert_decision!(), where_removed!(), "?6");
const BLOCK_FRAMES: &str = concat!(
    "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix, content_id, at_ms)
     SELECT hash, ?2, ?3, ?4, contents.id, min(at_ms)
     FROM contents JOIN frame_hashes
         ON frame_hashes.content_id = contents.id AND frame_hashes.generation = contents.generation",
    where_either!(is_waiting!()),
    " GROUP BY hash ON CONFLICT (hash) DO NOTHING"
);
macro_rules! block_kept_frames {
    ($where:expr) => {
        concat!(
            "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix, content_id, at_ms)
             SELECT json_extract(value, '$.hash'), ?2, ?3, ?4, contents.id, min(json_extract(value, '$.at_ms'))
             FROM contents JOIN json_each(?5)",
            $where,
            " GROUP BY json_extract(value, '$.hash') ON CONFLICT (hash) DO NOTHING"
        )
    };
}
const BLOCK_TAKEN_DOWN_FRAMES: &str = block_kept_frames!(where_either!(is_approved!(), is_undecided!()));
const BLOCK_UNDECIDED_FRAMES: &str = block_kept_frames!(where_either!(is_undecided!()));
macro_rules! block_file {
    () => {
        "INSERT INTO blocked_files (sha256, reason, added_by, added_at_unix, content_id)
         SELECT file_sha256, ?2, ?3, ?4, contents.id FROM contents"
    };
}
/// A compacted content whose details are lost has no hash.
macro_rules! unless_lost {
    () => {
        " AND file_sha256 <> '' ON CONFLICT (sha256) DO NOTHING"
    };
}
const BLOCK_REJECTED_FILE: &str = concat!(block_file!(), where_either!(is_waiting!(), is_undecided!()), unless_lost!());
const BLOCK_TAKEN_DOWN_FILE: &str =
    concat!(block_file!(), where_either!(is_approved!(), is_undecided!()), unless_lost!());
const WITHDRAW_FRAMES: &str =
    concat!("DELETE FROM blocked_hashes WHERE content_id = (SELECT id FROM contents", where_removed!(), "?2)");
const WITHDRAW_FILE: &str =
    concat!("DELETE FROM blocked_files WHERE sha256 = (SELECT file_sha256 FROM contents", where_removed!(), "?2)");
const APPROVE: &str = concat!(
    "UPDATE contents SET state = CASE WHEN scheduled_publish_at_unix > ?2 THEN 'scheduled' ELSE 'published' END,
         published_at_unix = CASE WHEN scheduled_publish_at_unix > ?2 THEN NULL ELSE ?2 END,
         finished_at_unix = ?2, waits_for = NULL, waits_since_unix = NULL",
    where_either!(is_waiting!()),
    " RETURNING id"
);
const REJECT: &str = concat!(
    "UPDATE contents SET state = 'rejected', error_code = ?3, error_detail = ?4, finished_at_unix = ?2,
         waits_for = NULL, waits_since_unix = NULL",
    where_either!(is_waiting!()),
    " RETURNING id"
);
const TAKE_DOWN: &str = concat!(
    "UPDATE contents SET state = 'taken_down', error_code = ?3, error_detail = ?4, finished_at_unix = ?2",
    where_either!(is_approved!()),
    " RETURNING id"
);
/// Records the removal of a content that its owner has already deleted. The state of the content stays `deleted`; its
/// evidence is kept as if a moderator had removed the content first.
const DECIDE_EVIDENCE: &str = concat!(
    "UPDATE evidence SET state = 'taken_down' WHERE content_id = (SELECT id FROM contents WHERE uuid = ?1 AND ",
    is_undecided!(),
    ") RETURNING content_id"
);
const RESTORE: &str = concat!(
    "UPDATE contents SET state = CASE WHEN scheduled_publish_at_unix > ?2 THEN 'scheduled' ELSE 'published' END,
         published_at_unix = CASE WHEN scheduled_publish_at_unix > ?2 THEN NULL
             ELSE coalesce(published_at_unix, ?2) END,
         finished_at_unix = ?2, error_code = NULL, error_detail = NULL",
    where_removed!(),
    "?3 RETURNING id"
);

/// Applies a decision if the content's state allows it.
pub(crate) async fn decide(
    database: &impl Database,
    request: &DecisionRequest<'_>,
    now: UnixSeconds,
) -> Result<DecisionOutcome, DatabaseError> {
    #[derive(Deserialize)]
    struct DecidedContent {
        state: ContentState,
        last_action: Option<DecisionAction>,
    }
    let read = Statement::new(
        "SELECT state,
             (SELECT action FROM decisions WHERE content_id = contents.id ORDER BY id DESC LIMIT 1) AS last_action
         FROM contents WHERE uuid = ?1",
    );
    let mut batch = Batch::default();
    request.records(now)?.into_iter().for_each(|statement| batch.execute(statement));
    let transition = batch.query::<()>(request.transition(now));
    let removes = matches!(request.kind, DecisionKind::Reject | DecisionKind::TakeDown);
    let evidence = Statement::new(DECIDE_EVIDENCE).bind(request.content_uuid);
    let evidence = removes.then(|| batch.query::<()>(evidence));
    let content = batch.query::<DecidedContent>(read.bind(request.content_uuid));
    let answers = database.run(batch).await?;
    let is_applied = answers.has_rows(transition) || evidence.is_some_and(|query| answers.has_rows(query));
    Ok(match answers.first(content)? {
        None => DecisionOutcome::UnknownContent,
        Some(DecidedContent { state, last_action }) => {
            let is_repeated = last_action == Some(request.kind.action()) && request.kind.leads_to(state);
            if is_applied || is_repeated { DecisionOutcome::Done(state) } else { DecisionOutcome::Conflict(state) }
        }
    })
}

impl DecisionRequest<'_> {
    /// Returns the statements that record the decision. They run before the transition, because their
    /// condition no longer holds after it.
    fn records(&self, now: UnixSeconds) -> Result<Vec<Statement>, DatabaseError> {
        let statement = |sql| {
            let statement = Statement::new(sql).bind(self.content_uuid);
            statement.bind(self.reason).bind(self.by).bind(now)
        };
        let record = |sql| statement(sql).bind(self.kind.action());
        let withdraw = |sql| Statement::new(sql).bind(self.content_uuid).bind(oldest_reversible(now));
        let frames = serde_json::to_string(self.kept_frames);
        let frames = frames.map_err(|error| DatabaseError::Shape(error.to_string()))?;
        let block_kept_frames = |sql| statement(sql).bind(frames);
        Ok(match self.kind {
            DecisionKind::Approve => vec![record(RECORD_OF_WAITING)],
            DecisionKind::Reject => vec![
                record(RECORD_OF_REJECTED),
                statement(BLOCK_FRAMES),
                block_kept_frames(BLOCK_UNDECIDED_FRAMES),
                statement(BLOCK_REJECTED_FILE),
            ],
            DecisionKind::TakeDown => vec![
                record(RECORD_OF_TAKEN_DOWN),
                block_kept_frames(BLOCK_TAKEN_DOWN_FRAMES),
                statement(BLOCK_TAKEN_DOWN_FILE),
            ],
            DecisionKind::Restore => {
                let record = record(RECORD_OF_REMOVED).bind(oldest_reversible(now));
                vec![record, withdraw(WITHDRAW_FRAMES), withdraw(WITHDRAW_FILE)]
            }
        })
    }

    fn transition(&self, now: UnixSeconds) -> Statement {
        let statement = |sql| Statement::new(sql).bind(self.content_uuid).bind(now);
        let refusal = |sql, detail: &str| statement(sql).bind(ErrorCode::ContentModerationRejected).bind(detail);
        match self.kind {
            DecisionKind::Approve => statement(APPROVE),
            DecisionKind::Reject => refusal(REJECT, ErrorCode::ContentModerationRejected.text()),
            DecisionKind::TakeDown => refusal(TAKE_DOWN, "A moderator took the video down."),
            DecisionKind::Restore => statement(RESTORE).bind(oldest_reversible(now)),
        }
    }
}

/// Returns the earliest time of a removal that can still be reversed.
fn oldest_reversible(now: UnixSeconds) -> u64 {
    now.0.saturating_sub(REVERSIBLE_SECONDS)
}

impl DecisionKind {
    pub(super) const fn action(self) -> DecisionAction {
        match self {
            Self::Approve => DecisionAction::Approve,
            Self::Reject => DecisionAction::Reject,
            Self::TakeDown => DecisionAction::TakeDown,
            Self::Restore => DecisionAction::Restore,
        }
    }

    /// Whether a content may be in this state after the decision. Its owner may have deleted it before or since.
    const fn leads_to(self, state: ContentState) -> bool {
        match self {
            Self::Approve | Self::Restore => matches!(state, ContentState::Scheduled | ContentState::Published),
            Self::Reject => matches!(state, ContentState::Rejected | ContentState::Deleted),
            Self::TakeDown => matches!(state, ContentState::TakenDown | ContentState::Deleted),
        }
    }
}
