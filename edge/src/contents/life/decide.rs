//! Every way in which a content, its jobs and its visibility change.
//!
//! Pure: time is an argument, and nothing is read or written. `door` reads the rows, calls `decide`, and writes the
//! change. A diagram of the states is in `docs/life-of-a-video.md`; a test generates it from this function.

use super::change::{Change, Effects};
use super::consequences;
use super::life::Life;
use super::patience::Patience;
use super::rules::moderator::{DecisionRequest, LabelRequest};
use super::rules::operator::RemovedSince;
use super::rules::owner::{Update, WantedCaptions};
use super::rules::storage::{CompactedRow, ExpandedDetails};
use super::rules::sweep::Surroundings;
use super::rules::{jobs, moderator, operator, owner, storage, sweep};
use super::works::{self, JudgedReport};
use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use contract::ErrorCode;
use contract::job::JobWork;

/// A request to change a content: by its owner, an origin, a moderator, an operator or the sweep.
#[derive(Clone, Debug)]
pub(crate) enum Command<'a> {
    // By its owner.
    Update(&'a Update),
    ChangeCaptions(WantedCaptions<'a>),
    Reschedule(UnixSeconds),
    PublishNow,
    Release,
    Delete { evidence_until: UnixSeconds },
    Appeal { text: &'a str },
    // By an origin. Claims, heartbeats and releases change only the row of a job; see `claim`.
    Report(&'a JudgedReport<'a>),
    // By a moderator.
    Decide(&'a DecisionRequest<'a>),
    Label(&'a LabelRequest<'a>),
    // By the sweep.
    PublishDue,
    Recover(Surroundings),
    Compact(&'a CompactedRow),
    // By an operator.
    Requeue { by: &'a str },
    MakeAgain(JobWork),
    Erase,
    // In a restored database.
    RemoveAgain(&'a RemovedSince),
    RestartJob,
    // Before a change that needs the details.
    Expand(&'a ExpandedDetails),
}

/// A wanted change of a content. In the Worker, each is a command; tests also set values that no rule sets.
pub(crate) trait Decision {
    /// Returns the change, or why it is not possible. Repeating it changes nothing more.
    fn change(&self, life: &Life, now: UnixSeconds) -> Result<Change, ErrorCode>;

    /// Returns the patience of whoever asks for the change.
    fn patience(&self) -> Patience;

    /// Returns the stored file that the content would use afterwards.
    fn file(&self) -> Option<&UploadUuid>;
}

impl Decision for Command<'_> {
    fn change(&self, life: &Life, now: UnixSeconds) -> Result<Change, ErrorCode> {
        decide(life, self, now)
    }

    fn patience(&self) -> Patience {
        match self {
            Self::Update(_)
            | Self::ChangeCaptions(_)
            | Self::Reschedule(_)
            | Self::PublishNow
            | Self::Release
            | Self::Delete { .. }
            | Self::Appeal { .. } => Patience::Owner,
            _ => Patience::Staff,
        }
    }

    fn file(&self) -> Option<&UploadUuid> {
        match self {
            Self::Update(update) => update.thumbnail.as_ref().and_then(|thumbnail| thumbnail.picture.as_ref()),
            Self::ChangeCaptions(wanted) => wanted.file.map(|file| &file.name),
            _ => None,
        }
    }
}

/// Returns the change that the command makes, or why it is not possible. Repeating a command changes nothing.
pub(crate) fn decide(life: &Life, command: &Command<'_>, now: UnixSeconds) -> Result<Change, ErrorCode> {
    complete(life, now, |after, effects| obey(after, command, effects, now))
}

/// Completes a change of some values with all its consequences.
pub(super) fn complete(
    life: &Life,
    now: UnixSeconds,
    change: impl FnOnce(&mut Life, &mut Effects) -> Result<(), ErrorCode>,
) -> Result<Change, ErrorCode> {
    let Change { mut after, mut effects } = Change::none(life);
    change(&mut after, &mut effects)?;
    jobs::settle(&mut after, now);
    if after != *life || effects != Effects::default() {
        consequences::add(life, &mut after, &mut effects);
    }
    Ok(Change { after, effects })
}

fn obey(life: &mut Life, command: &Command<'_>, effects: &mut Effects, now: UnixSeconds) -> Result<(), ErrorCode> {
    match command {
        Command::Update(update) => owner::update(life, update, effects, now)?,
        Command::ChangeCaptions(wanted) => owner::change_captions(life, *wanted, effects, now)?,
        Command::Reschedule(time) => owner::reschedule(life, *time, effects)?,
        Command::PublishNow => owner::publish_now(life, now)?,
        Command::Release => owner::release(life, now)?,
        Command::Delete { evidence_until } => owner::delete(life, *evidence_until, effects, now),
        Command::Appeal { text } => owner::appeal(life, text, effects, now)?,
        Command::Report(report) => works::report(life, report, effects, now)?,
        Command::Decide(request) => moderator::decide(life, request, effects, now)?,
        Command::Label(request) => moderator::label(life, request, effects)?,
        Command::PublishDue => sweep::publish_due(life, now),
        Command::Recover(surroundings) => sweep::recover(life, *surroundings, now),
        Command::Compact(row) => storage::compact(life, row, effects),
        Command::Requeue { by } => operator::requeue(life, by, effects, now)?,
        Command::MakeAgain(kind) => operator::make_again(life, *kind, now),
        Command::Erase => operator::erase(life, effects, now),
        Command::RemoveAgain(removed) => operator::remove_again(life, removed, effects, now),
        Command::RestartJob => operator::restart_job(life, now),
        Command::Expand(details) => storage::expand(life, details, effects, now),
    }
    Ok(())
}
