//! The changes that an owner may make to a content: delete it, reschedule it, release it, publish it now,
//! or appeal against its removal.
//!
//! Each may be repeated and run concurrently with any other; see `life`.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::door::{self, Changed, Find};
use crate::contents::life::{Command, Content};
use crate::platform::database::{Database, DatabaseError};
use contract::{ContentState, ErrorCode};

pub(crate) use crate::contents::life::door::OwnedContent;

/// The state of a content and its publication times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The owner cannot appeal.
    AppealNotPossible,
    /// The channel has reached its daily limit of changes.
    LimitReached,
    /// The channel has no such content.
    UnknownContent,
}

/// Deletes the content in any state. Deleting it again changes nothing.
pub(crate) async fn delete(
    database: &impl Database,
    content: OwnedContent<'_>,
    now: UnixSeconds,
    evidence_until: UnixSeconds,
) -> Result<ChangeOutcome, DatabaseError> {
    Ok(change(database, content, &Command::Delete { evidence_until }, now).await?.outcome)
}

/// Changes the publication time of a content that is not public yet.
pub(crate) async fn reschedule(
    database: &impl Database,
    content: OwnedContent<'_>,
    time: UnixSeconds,
    now: UnixSeconds,
) -> Result<Changed<ChangeOutcome>, DatabaseError> {
    change(database, content, &Command::Reschedule(time), now).await
}

/// Removes the publication time and releases the content. An approved content is published at once, a processing one
/// when it is approved.
pub(crate) async fn publish_now(
    database: &impl Database,
    content: OwnedContent<'_>,
    now: UnixSeconds,
) -> Result<Changed<ChangeOutcome>, DatabaseError> {
    change(database, content, &Command::PublishNow, now).await
}

/// Releases the content: it is published as soon as it is approved and its time has come.
pub(crate) async fn release(
    database: &impl Database,
    content: OwnedContent<'_>,
    now: UnixSeconds,
) -> Result<Changed<ChangeOutcome>, DatabaseError> {
    change(database, content, &Command::Release, now).await
}

/// Appeals against the rejection or removal of the content.
pub(crate) async fn appeal(
    database: &impl Database,
    content: OwnedContent<'_>,
    text: &str,
    now: UnixSeconds,
) -> Result<ChangeOutcome, DatabaseError> {
    Ok(change(database, content, &Command::Appeal { text }, now).await?.outcome)
}

async fn change(
    database: &impl Database,
    content: OwnedContent<'_>,
    command: &Command<'_>,
    now: UnixSeconds,
) -> Result<Changed<ChangeOutcome>, DatabaseError> {
    let outcome = door::apply(database, Find::Owned(content), command, now).await?;
    let Some(outcome) = outcome else { return Ok(Changed::nothing(ChangeOutcome::UnknownContent)) };
    let jobs = outcome.messages;
    let outcome = match outcome.result {
        Ok(after) => ChangeOutcome::Done(PublicationStatus::of(&after.content)),
        Err(ErrorCode::DailyChangeLimitReached) => ChangeOutcome::LimitReached,
        Err(ErrorCode::AppealNotPossible) => ChangeOutcome::AppealNotPossible,
        Err(_) => ChangeOutcome::Conflict(outcome.before.content.state),
    };
    Ok(Changed { outcome, jobs })
}

impl PublicationStatus {
    fn of(content: &Content) -> Self {
        Self {
            state: content.state,
            scheduled_publish_at_unix: content.scheduled_publish_at_unix,
            published_at_unix: content.published_at_unix,
        }
    }
}
