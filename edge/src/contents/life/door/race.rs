//! The race of a change against other changes of the same content: those of the same isolate take turns, and after a
//! race that was lost against another isolate, the change waits before it is decided again. It ends at a time and not
//! after a number of tries.

use super::read::{Find, life_of};
use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::life::Life;
use crate::contents::life::patience::Patience;
use crate::platform::database::tries::Timer;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use crate::platform::isolate::Turn;
use serde_json::Value as Json;
use std::time::Duration;

pub(crate) struct Race<'a, D> {
    database: &'a D,
    patience: Patience,
    began_ms: u64,
    lost: u32,
}

impl<'a, D: Database> Race<'a, D> {
    pub(crate) fn begin(database: &'a D, patience: Patience) -> Self {
        Self { database, patience, began_ms: database.timer().now_ms(), lost: 0 }
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.database.timer().now_ms().saturating_sub(self.began_ms))
    }

    /// Waits for the change's turn among those of the same content that run in this isolate. Changes that cannot lose
    /// their race cost the database nothing twice. Fails once the time is over.
    pub(super) async fn turn(&self, content: Find<'_>) -> Result<Option<Turn<'a>>, DatabaseError> {
        let timer = self.database.timer();
        let is_urgent = self.patience == Patience::Staff;
        let joined = self.database.turns().zip(content.uuid());
        let joined = joined.and_then(|(turns, uuid)| turns.join(uuid.as_str(), is_urgent, timer.now_ms()));
        let Some(turn) = joined else { return Ok(None) };
        while let Err(pause) = turn.begin(timer.now_ms(), timer.random()) {
            if self.elapsed() >= self.patience.bound() {
                return Err(DatabaseError::LostRace("other changes of the content had their turns".to_owned()));
            }
            timer.sleep(pause).await;
        }
        Ok(Some(turn))
    }

    /// Waits until the change may be decided again. Returns the error if it is not a lost race, or if the time is over.
    pub(crate) async fn wait_after(&mut self, error: DatabaseError) -> Result<(), DatabaseError> {
        if !error.is_lost_race() {
            return Err(error);
        }
        self.lost = self.lost.saturating_add(1);
        let timer = self.database.timer();
        let pause = self.patience.pause(self.lost, self.elapsed(), timer.random()).ok_or(error)?;
        timer.sleep(pause).await;
        Ok(())
    }
}

/// Reads a content and raises its revision in one transaction. Changes that were decided on earlier rows lose, so the
/// caller's change wins if it is written next.
pub(crate) async fn overtake(
    database: &impl Database,
    content_id: u64,
    file: Option<&UploadUuid>,
    now: UnixSeconds,
) -> Result<Option<Life>, DatabaseError> {
    let mut batch = Batch::repeatable();
    let raise = Statement::new("UPDATE contents SET revision = revision + 1 WHERE id = ?1");
    batch.execute(raise.bind(content_id));
    let query = batch.query::<Json>(Find::Ids(&[content_id]).statement(file, now));
    let row = database.run(batch).await?.first(query)?;
    row.as_ref().map(life_of).transpose()
}

/// Whether the rows that were found are the result of a change of which it is not known whether it was applied. Its
/// revision shows that there was one change, and the rest that it was this one or an equal one.
pub(super) fn is_result(found: &Life, after: &Life) -> bool {
    let mut content = after.content.clone();
    content.revision += 1;
    let has_job = |other: &Life, kind, generation| other.job(kind).is_some_and(|job| job.generation == generation);
    found.content == content
        && found.captions.len() == after.captions.len()
        && after.captions.iter().all(|captions| found.captions.contains(captions))
        && found.jobs.len() == after.jobs.len()
        && after.jobs.iter().all(|job| has_job(found, job.kind, job.generation))
}
