//! What a person decides about a content: shown, refused, or not shown any more.
//!
//! The decision, its record and its effect are one transaction, under one condition. A decision that comes twice is
//! told from one that comes too late by its record.

use crate::database::{Database, DatabaseError, Statement, first_row};
use contract::api::DecisionAction;
use contract::{ContentState, ErrorCode};
use serde::Deserialize;

/// Who decides what, and why.
#[derive(Clone, Copy, Debug)]
pub struct Ruling<'a> {
    pub verdict: Verdict,
    pub content_uuid: &'a str,
    pub reason: &'a str,
    pub by: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Approve,
    /// Its frames go onto the blocklist.
    Reject,
    TakeDown,
}

/// What came of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruled {
    Done(ContentState),
    /// In this state there is nothing to decide, or nothing of that kind.
    Conflict(ContentState),
    Unknown,
}

/// The content waits for somebody who decides; also where a check that cannot be made is what it waits for.
macro_rules! if_waiting {
    () => {
        " WHERE uuid = ?1 AND contents.state = 'processing' AND waits_for IS NOT NULL AND media IS NOT NULL"
    };
}
macro_rules! if_approved {
    () => {
        " WHERE uuid = ?1 AND contents.state IN ('scheduled', 'published')"
    };
}
macro_rules! record {
    () => {
        "INSERT INTO decisions (action, content_id, generation, reason, made_by, decided_at_unix)
         SELECT ?5, id, generation, ?2, ?3, ?4 FROM contents"
    };
}

const BLOCK: &str = concat!(
    "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix, content_id, at_ms)
     SELECT hash, ?2, ?3, ?4, contents.id, min(at_ms)
     FROM contents JOIN frame_hashes
         ON frame_hashes.content_id = contents.id AND frame_hashes.generation = contents.generation",
    if_waiting!(),
    " GROUP BY hash ON CONFLICT (hash) DO NOTHING"
);
const APPROVE: &str = concat!(
    "UPDATE contents SET state = CASE WHEN scheduled_publish_at_unix > ?2 THEN 'scheduled' ELSE 'published' END,
         published_at_unix = CASE WHEN scheduled_publish_at_unix > ?2 THEN NULL ELSE ?2 END,
         finished_at_unix = ?2, waits_for = NULL, waits_since_unix = NULL",
    if_waiting!(),
    " RETURNING id"
);
const REJECT: &str = concat!(
    "UPDATE contents SET state = 'rejected', error_code = ?3, error_detail = ?4, finished_at_unix = ?2,
         waits_for = NULL, waits_since_unix = NULL",
    if_waiting!(),
    " RETURNING id"
);
const TAKE_DOWN: &str = concat!(
    "UPDATE contents SET state = 'taken_down', error_code = ?3, error_detail = ?4, finished_at_unix = ?2",
    if_approved!(),
    " RETURNING id"
);

/// Applies a decision, if the content is in a state in which it can be made.
pub async fn decide(
    database: &impl Database,
    ruling: &Ruling<'_>,
    now_unix: u64,
) -> Result<Ruled, DatabaseError> {
    #[derive(Deserialize)]
    struct Outcome {
        state: ContentState,
        last: Option<DecisionAction>,
    }
    let read = Statement::new(
        "SELECT state, (SELECT action FROM decisions WHERE content_id = contents.id ORDER BY id DESC LIMIT 1) AS last
         FROM contents WHERE uuid = ?1",
    );
    let mut statements = ruling.statements(now_unix);
    let step = statements.len() - 1;
    statements.push(read.bind(ruling.content_uuid));
    let answers = database.batch(statements).await?;
    let is_taken = answers.get(step).is_some_and(|rows| !rows.0.is_empty());
    let outcome: Option<Outcome> = first_row(answers.last())?;
    Ok(match outcome {
        None => Ruled::Unknown,
        Some(Outcome { state, last }) => {
            let is_repeated = last == Some(ruling.verdict.action()) && ruling.verdict.is_in(state);
            if is_taken || is_repeated {
                Ruled::Done(state)
            } else {
                Ruled::Conflict(state)
            }
        }
    })
}

impl Ruling<'_> {
    /// The step comes last: all of them stand under the condition that it ends.
    fn statements(&self, now_unix: u64) -> Vec<Statement> {
        let recorded = |sql| {
            let statement = Statement::new(sql).bind(self.content_uuid);
            statement.bind(self.reason).bind(self.by).bind(now_unix)
        };
        let action = self.verdict.action().as_str();
        let step = |sql| Statement::new(sql).bind(self.content_uuid).bind(now_unix);
        let refusal = |sql, detail: &str| {
            let code = ErrorCode::ContentModerationRejected.as_str();
            step(sql).bind(code).bind(detail)
        };
        match self.verdict {
            Verdict::Approve => vec![
                recorded(concat!(record!(), if_waiting!())).bind(action),
                step(APPROVE),
            ],
            Verdict::Reject => vec![
                recorded(concat!(record!(), if_waiting!())).bind(action),
                recorded(BLOCK),
                refusal(REJECT, ErrorCode::ContentModerationRejected.text()),
            ],
            Verdict::TakeDown => vec![
                recorded(concat!(record!(), if_approved!())).bind(action),
                refusal(TAKE_DOWN, "A moderator took the video down."),
            ],
        }
    }
}

impl Verdict {
    const fn action(self) -> DecisionAction {
        match self {
            Self::Approve => DecisionAction::Approve,
            Self::Reject => DecisionAction::Reject,
            Self::TakeDown => DecisionAction::TakeDown,
        }
    }

    /// Whether the decision leads there.
    const fn is_in(self, state: ContentState) -> bool {
        match self {
            Self::Approve => matches!(state, ContentState::Scheduled | ContentState::Published),
            Self::Reject => matches!(state, ContentState::Rejected),
            Self::TakeDown => matches!(state, ContentState::TakenDown),
        }
    }
}
