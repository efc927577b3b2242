//! Scheduled publication: publishes the contents whose time has come.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::door::{self, Find, LeftOut};
use crate::contents::life::{Command, Life};
use crate::platform::database::{Database, DatabaseError, may_have_more};

/// The number of contents that one transaction publishes. A run repeats it until none is left.
const PAGE: u32 = 100;
/// The maximum number of transactions per run, so that a run ends even if contents keep becoming due. The next run is a
/// minute away.
const ROUNDS: u32 = 100;

/// Publishes the scheduled contents that are due and returns how many there were. Fails if one could not be published;
/// the others are.
pub(crate) async fn publish_due(database: &impl Database, now: UnixSeconds) -> Result<u64, DatabaseError> {
    let (mut published, mut left_out) = (0, LeftOut::default());
    for _ in 0..ROUNDS {
        let due = Find::DueSchedules { at_most: PAGE };
        let page = door::apply_to_all(database, due, |_: &Life| Some(Command::PublishDue), &mut left_out, now).await?;
        published += page.lives.len() as u64;
        if !may_have_more(page.found, PAGE) {
            break;
        }
    }
    left_out.into_result().map(|()| published)
}
