//! A command about many contents, which are usually written in one transaction.
//!
//! A content that cannot be read or written does not stop the others: the page is halved until the content is alone. It
//! is left out, and named in the log.

use super::race::is_result;
use super::{Find, apply, read, write};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::Change;
use crate::contents::life::decide::{Command, decide};
use crate::contents::life::life::Life;
use crate::platform::database::{Database, DatabaseError};
use contract::JobMessage;
use std::collections::BTreeMap;

/// The result of a command about a page of contents.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageOutcome {
    /// The rows before and afterwards. A command that is not possible for a content leaves it as it is.
    pub lives: Vec<(Life, Life)>,
    pub messages: Vec<JobMessage>,
    /// The number of contents on the page, with those that were left out.
    pub found: usize,
}

/// The contents that could not be read or written, by their ids. They are tried only once.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut(BTreeMap<u64, DatabaseError>);

impl LeftOut {
    fn add(&mut self, id: u64, content_uuid: &str, error: DatabaseError) {
        if !self.0.contains_key(&id) {
            tracing::error!(content = content_uuid, %error, "a content cannot be changed and is left out");
            self.0.insert(id, error);
        }
    }

    /// Returns the first error, for callers that must not succeed without every content.
    pub(crate) fn into_result(self) -> Result<(), DatabaseError> {
        self.0.into_values().next().map_or(Ok(()), Err)
    }
}

/// Carries out a command about every content of a page. Contents without a command stay unchanged, and so do contents
/// that were left out before.
pub(crate) async fn apply_to_all<'a>(
    database: &impl Database,
    find: Find<'_>,
    command: impl Fn(&Life) -> Option<Command<'a>>,
    left_out: &mut LeftOut,
    now: UnixSeconds,
) -> Result<PageOutcome, DatabaseError> {
    let (lives, unreadable) = read::read_each(database, find, now).await?;
    let mut outcome = PageOutcome { found: lives.len() + unreadable.len(), ..PageOutcome::default() };
    for (row, error) in unreadable {
        left_out.add(row["id"].as_u64().unwrap_or_default(), row["uuid"].as_str().unwrap_or_default(), error);
    }
    let lives = lives.into_iter().filter(|life| !left_out.0.contains_key(&life.content.id));
    let decided = |life: Life| {
        let change = command(&life).and_then(|command| decide(&life, &command, now).ok());
        let change = change.unwrap_or_else(|| Change::none(&life));
        (life, change)
    };
    let changes: Vec<(Life, Change)> = lives.map(decided).collect();
    let mut parts = vec![changes.as_slice()];
    while let Some(part) = parts.pop() {
        let page: Vec<(&Life, &Change)> = part.iter().map(|(life, change)| (life, change)).collect();
        let error = match write::write(database, &page, now).await {
            Ok(messages) => {
                outcome.lives.extend(part.iter().map(|(before, change)| (before.clone(), change.after.clone())));
                outcome.messages.extend(messages);
                continue;
            }
            Err(error) => error,
        };
        match error {
            DatabaseError::Busy(_) => return Err(error),
            DatabaseError::LostRaceOrApplied(_) if part.len() > 1 => {
                parts.extend(not_applied(database, part, &mut outcome, now).await?);
            }
            _ if part.len() > 1 => {
                let (first, second) = part.split_at(part.len() / 2);
                parts.extend([second, first]);
            }
            _ => {
                for (life, _) in part {
                    apply_alone(database, life, &command, error.clone(), (&mut outcome, left_out), now).await?;
                }
            }
        }
    }
    Ok(outcome)
}

/// Reads the contents of a transaction that may have been applied. Returns each that was not.
async fn not_applied<'a>(
    database: &impl Database,
    part: &'a [(Life, Change)],
    outcome: &mut PageOutcome,
    now: UnixSeconds,
) -> Result<Vec<&'a [(Life, Change)]>, DatabaseError> {
    let ids: Vec<u64> = part.iter().map(|(life, _)| life.content.id).collect();
    let (found, _) = read::read_each(database, Find::Ids(&ids), now).await?;
    let mut rest = Vec::new();
    for one in part.chunks(1) {
        let Some((before, change)) = one.first() else { continue };
        let found = found.iter().find(|found| found.content.id == before.content.id);
        if found.is_some_and(|found| is_result(found, &change.after)) {
            outcome.lives.push((before.clone(), change.after.clone()));
        } else {
            rest.push(one);
        }
    }
    Ok(rest)
}

/// Carries out the command about one content of a page that has failed, and waits for its turn if it lost a race.
async fn apply_alone<'a>(
    database: &impl Database,
    life: &Life,
    command: &impl Fn(&Life) -> Option<Command<'a>>,
    error: DatabaseError,
    (outcome, left_out): (&mut PageOutcome, &mut LeftOut),
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let content = &life.content;
    let error = match command(life) {
        Some(command) if error.is_lost_race() => match apply(database, Find::Ids(&[content.id]), &command, now).await {
            Ok(Some(applied)) => {
                let after = applied.result.unwrap_or_else(|_| applied.before.clone());
                outcome.lives.push((applied.before, after));
                outcome.messages.extend(applied.messages);
                return Ok(());
            }
            Ok(None) => return Ok(()),
            Err(error) => error,
        },
        _ => error,
    };
    if matches!(error, DatabaseError::Busy(_)) {
        return Err(error);
    }
    left_out.add(content.id, content.uuid.as_str(), error);
    Ok(())
}
