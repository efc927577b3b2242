//! A command about many contents, which are usually written in one transaction.
//!
//! A content that cannot be read or written does not stop the others: the page is halved until the content is alone. It
//! is left out of this page and of the following ones, and named in the log.

use super::race::is_result;
use super::{Find, Outcome, apply, read, write};
use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::Change;
use crate::contents::life::life::Life;
use crate::contents::life::{Decision, JobState};
use crate::platform::database::{Database, DatabaseError};
use contract::JobMessage;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// If more contents of a page fail alone, the cause is probably not in them, and trying the rest would only cost time:
/// the page is given up, and the next one follows.
const MOST_FAILURES: usize = 10;
/// If more pages are given up, the rest waits for the next run.
const MOST_GIVEN_UP: usize = 4;

/// The result of a command about a page of contents.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageOutcome {
    /// The rows before and afterwards. A command that is not possible for a content leaves it as it is.
    pub lives: Vec<(Life, Life)>,
    pub messages: Vec<JobMessage>,
    /// The number of contents on the page, with those that it left out.
    pub found: usize,
}

/// The contents that a run could not read or write, by their ids. They are tried only once, so they do not keep the
/// contents behind them from their turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut {
    errors: BTreeMap<u64, DatabaseError>,
    /// The last error of each page that was given up.
    given_up: Vec<DatabaseError>,
}

impl LeftOut {
    fn add(&mut self, id: u64, content_uuid: &str, error: DatabaseError) {
        self.errors.entry(id).or_insert_with(|| {
            tracing::error!(content = content_uuid, %error, "a content cannot be changed and is left out");
            error
        });
    }

    /// Leaves out the rest of a page. Fails if too many pages were given up.
    fn give_up(&mut self, rest: &[&[(Life, Change)]], error: DatabaseError) -> Result<(), DatabaseError> {
        let rest = rest.iter().copied().flatten();
        self.errors.extend(rest.map(|(life, _)| (life.content.id, error.clone())));
        self.given_up.push(error.clone());
        if self.given_up.len() > MOST_GIVEN_UP { Err(error) } else { Ok(()) }
    }

    /// Returns the ids as a JSON array.
    pub(super) fn ids(&self) -> String {
        let ids: Vec<u64> = self.errors.keys().copied().collect();
        Json::from(ids).to_string()
    }

    /// Returns the first error, for callers that must not succeed without every content.
    pub(crate) fn into_result(self) -> Result<(), DatabaseError> {
        self.errors.into_values().next().map_or(Ok(()), Err)
    }

    /// Returns the error of the first page that was given up, for callers that may succeed without a few contents.
    pub(crate) fn into_given_up(self) -> Result<(), DatabaseError> {
        self.given_up.into_iter().next().map_or(Ok(()), Err)
    }
}

/// Carries out a command about every content of a page. Contents without a command stay unchanged, and so do contents
/// that were left out before.
pub(crate) async fn apply_to_all<C: Decision>(
    database: &impl Database,
    find: Find<'_>,
    command: impl Fn(&Life) -> Option<C>,
    left_out: &mut LeftOut,
    now: UnixSeconds,
) -> Result<PageOutcome, DatabaseError> {
    let (lives, unreadable) = read::read_each(database, find, &left_out.ids(), now).await?;
    let outcome = PageOutcome { found: lives.len() + unreadable.len(), ..PageOutcome::default() };
    for (row, error) in unreadable {
        let id = row.get("id").and_then(Json::as_u64).unwrap_or_default();
        let content_uuid = row.get("uuid").and_then(Json::as_str).unwrap_or_default();
        left_out.add(id, content_uuid, error);
    }
    let lives = lives.into_iter().filter(|life| !left_out.errors.contains_key(&life.content.id));
    let mut turns = LaterTurns::default();
    let decided = |mut life: Life| {
        turns.show(&mut life);
        let change = command(&life).and_then(|command| command.change(&life, now).ok());
        let change = change.unwrap_or_else(|| Change::none(&life));
        turns.note(&change.after);
        (life, change)
    };
    let changes: Vec<(Life, Change)> = lives.map(decided).collect();
    let mut page = Page { database, command, now, outcome, left_out, failures: 0 };
    page.write(&changes).await?;
    Ok(page.outcome)
}

/// The latest turn of each channel's jobs that wait for new videos, as far as this page starts such jobs. The rows of
/// the page were read before, so without it all of a channel's jobs on the page would have about the same turn.
#[derive(Default)]
struct LaterTurns(BTreeMap<ChannelId, UnixSeconds>);

impl LaterTurns {
    fn show(&self, life: &mut Life) {
        let latest = self.0.get(&life.content.channel_id).copied();
        life.facts.latest_later_turn_unix = life.facts.latest_later_turn_unix.max(latest);
    }

    fn note(&mut self, life: &Life) {
        if let Some(job) = life.active_job().filter(|job| job.state == JobState::Later) {
            let latest = self.0.entry(life.content.channel_id).or_default();
            *latest = job.turn_unix.max(*latest);
        }
    }
}

/// A page that is being written.
struct Page<'p, D, F> {
    database: &'p D,
    command: F,
    now: UnixSeconds,
    outcome: PageOutcome,
    left_out: &'p mut LeftOut,
    failures: usize,
}

impl<D: Database, C: Decision, F: Fn(&Life) -> Option<C>> Page<'_, D, F> {
    /// Returns the position at which a page that cannot be written at once begins. It moves every minute, by as many
    /// contents as may fail, so that each content of a page that is given up has its turn.
    fn first_of_run(&self, contents: usize) -> usize {
        let minute = usize::try_from(self.now.0 / 60).unwrap_or_default();
        minute.wrapping_mul(MOST_FAILURES + 1).checked_rem(contents).unwrap_or_default()
    }

    async fn write(&mut self, changes: &[(Life, Change)]) -> Result<(), DatabaseError> {
        let mut parts = vec![changes];
        let first_of_run = self.first_of_run(changes.len());
        while let Some(part) = parts.pop() {
            let page: Vec<(&Life, &Change)> = part.iter().map(|(life, change)| (life, change)).collect();
            match write::write(self.database, &page, self.now).await {
                Ok(messages) => {
                    let lives = part.iter().map(|(before, change)| (before.clone(), change.after.clone()));
                    self.outcome.lives.extend(lives);
                    self.outcome.messages.extend(messages);
                }
                Err(error @ DatabaseError::Busy(_)) => return Err(error),
                Err(DatabaseError::LostRaceOrApplied(_)) if part.len() > 1 => {
                    parts.extend(self.not_applied(part).await?);
                }
                Err(_) if part.len() == changes.len() && first_of_run > 0 => {
                    let (last, first) = part.split_at(first_of_run);
                    parts.extend([last, first]);
                }
                Err(_) if part.len() > 1 => {
                    let (first, second) = part.split_at(part.len() / 2);
                    parts.extend([second, first]);
                }
                Err(error) => {
                    for (life, _) in part {
                        self.write_alone(life, error.clone()).await?;
                    }
                    if self.failures > MOST_FAILURES {
                        return self.left_out.give_up(&parts, error);
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the contents of a transaction that may have been applied. Returns each that was not.
    async fn not_applied<'p>(
        &mut self,
        part: &'p [(Life, Change)],
    ) -> Result<Vec<&'p [(Life, Change)]>, DatabaseError> {
        let ids: Vec<u64> = part.iter().map(|(life, _)| life.content.id).collect();
        let (found, _) = read::read_each(self.database, Find::Ids(&ids), "[]", self.now).await?;
        let mut rest = Vec::new();
        for one in part.chunks(1) {
            let Some((before, change)) = one.first() else { continue };
            let found = found.iter().find(|found| found.content.id == before.content.id);
            if found.is_some_and(|found| is_result(found, &change.after)) {
                self.outcome.lives.push((before.clone(), change.after.clone()));
            } else {
                rest.push(one);
            }
        }
        Ok(rest)
    }

    /// Handles the failure of a content that was written alone. If it lost a race, it waits for its turn.
    async fn write_alone(&mut self, life: &Life, error: DatabaseError) -> Result<(), DatabaseError> {
        let content = &life.content;
        let command = (self.command)(life).filter(|_| error.is_lost_race());
        let error = match command {
            None => error,
            Some(command) => match apply(self.database, Find::Ids(&[content.id]), &command, self.now).await {
                Ok(Some(Outcome { before, result, messages })) => {
                    let after = result.unwrap_or_else(|_| before.clone());
                    self.outcome.lives.push((before, after));
                    self.outcome.messages.extend(messages);
                    return Ok(());
                }
                Ok(None) => return Ok(()),
                Err(error) => error,
            },
        };
        self.failures += 1;
        if matches!(error, DatabaseError::Busy(_)) {
            return Err(error);
        }
        self.left_out.add(content.id, content.uuid.as_str(), error);
        Ok(())
    }
}
