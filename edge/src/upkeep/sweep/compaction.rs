//! Compacts contents that were finished long ago: first the object is stored, then the row is shortened, in one
//! transaction and only if it has not changed since it was read. An interrupted run leaves at most an object that the
//! next run replaces.

use super::ROUNDS;
use super::at_once::{Call, run_at_once};
use super::run::Deadline;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::compaction::{DueContent, Position, read_due, shorten};
use crate::contents::life::door::LeftOut;
use crate::contents::life::rules::storage::CompactedRow;
use crate::platform::Platform;
use crate::platform::database::may_have_more;
use crate::platform::error::PlatformError;

/// The contents of one transaction. Each reads an object, stores another one, and writes about 15 rows.
const CONTENTS: u32 = 100;

/// Compacts the contents that are due, and returns how many there were. A content whose details cannot be stored is
/// tried again by the next run.
pub(super) async fn compact_finished<P: Platform>(platform: &P, compact_seconds: u64) -> Result<u64, PlatformError> {
    let (deadline, now) = (Deadline::of_part(platform), platform.now());
    let until = UnixSeconds(now.0.saturating_sub(compact_seconds));
    let (mut compacted, mut first_error, mut position) = (0, None, Position::default());
    let mut left_out = LeftOut::default();
    for _ in 0..ROUNDS {
        let due = read_due(platform.database(), position, until, now, CONTENTS).await?;
        let is_last = !may_have_more(due.len(), CONTENTS);
        position = due.last().map_or(position, DueContent::position);
        let (rows, error) = store_all(platform, due).await;
        compacted += shorten(platform.database(), &rows, &mut left_out, now).await?;
        first_error = first_error.or(error);
        if is_last || deadline.is_over(platform) {
            break;
        }
    }
    left_out.into_given_up()?;
    first_error.map_or(Ok(compacted), Err)
}

async fn store_all<P: Platform>(platform: &P, due: Vec<DueContent>) -> (Vec<CompactedRow>, Option<PlatformError>) {
    let calls = due
        .iter()
        .map(|content| -> Call<'_, Result<(), PlatformError>> { Box::pin(content.store(platform.objects())) });
    let outcomes = run_at_once(calls).await;
    let (mut rows, mut first_error) = (Vec::new(), None);
    for (content, outcome) in due.into_iter().zip(outcomes) {
        match outcome {
            Ok(()) => rows.push(content.short_row()),
            Err(error) => drop(first_error.get_or_insert(error)),
        }
    }
    (rows, first_error)
}
