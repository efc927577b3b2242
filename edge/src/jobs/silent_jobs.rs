//! Recovers silent jobs: the sweep sends their message again, restarts them, or fails them.

use super::sending::send_or_note;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::door::{self, Find, LeftOut};
use crate::contents::life::rules::sweep::Surroundings;
use crate::contents::life::{Command, Life};
use crate::platform::Platform;
use crate::platform::database::{Database, DatabaseError, Statement, may_have_more};
use crate::platform::error::PlatformError;
use crate::platform::queue::JobQueue;
use contract::ContentState;

/// If the previous run of the sweep is older than this, the edge was unavailable, so origins could not renew their
/// claims. They get until the next run to do so.
const PREVIOUS_RUN_SECONDS: u64 = 180;
/// The number of contents per transaction, and of transactions per run. The next run is a minute away.
const PAGE: u32 = 100;
const ROUNDS: u32 = 100;

/// The numbers of due jobs that the sweep restarted, failed and sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SilentJobCounts {
    pub requeued: u64,
    pub failed: u64,
    pub sent_again: u64,
}

/// Looks at all jobs that are due.
pub(crate) async fn recover_silent_jobs<P: Platform>(platform: &P) -> Result<SilentJobCounts, PlatformError> {
    let was_edge_there = was_edge_there(platform).await?;
    let oldest_message = oldest_in(platform.jobs()).await;
    let oldest_completion = match platform.completions() {
        Some(queue) => oldest_in(queue).await,
        None => oldest_message.clone(),
    };
    // A queue that does not answer may have every message.
    let or_any = |oldest: &Result<_, _>| oldest.clone().unwrap_or(Some(UnixSeconds(0)));
    let surroundings = Surroundings {
        was_edge_there,
        oldest_message: or_any(&oldest_message),
        oldest_completion: or_any(&oldest_completion),
    };
    let mut total = SilentJobCounts::default();
    // A few contents that cannot be changed must not fail this part: its last success says whether the edge was
    // available.
    let mut left_out = LeftOut::default();
    for _ in 0..ROUNDS {
        let (counts, is_last) = recover_page(platform, surroundings, &mut left_out, PAGE).await?;
        total.requeued += counts.requeued;
        total.failed += counts.failed;
        total.sent_again += counts.sent_again;
        if is_last {
            break;
        }
    }
    left_out.into_given_up()?;
    oldest_message.and(oldest_completion).map(|_| total)
}

/// Looks at up to `at_most` jobs that are due, and returns whether none is left.
async fn recover_page<P: Platform>(
    platform: &P,
    surroundings: Surroundings,
    left_out: &mut LeftOut,
    at_most: u32,
) -> Result<(SilentJobCounts, bool), PlatformError> {
    let command = |_: &Life| Some(Command::Recover(surroundings));
    let due = Find::DueJobs { at_most };
    let page = door::apply_to_all(platform.database(), due, command, left_out, platform.now()).await?;
    send_or_note(platform, &page.messages).await?;
    let count = |has_happened: fn(&Life, &Life) -> bool| {
        page.lives.iter().filter(|(before, after)| has_happened(before, after)).count() as u64
    };
    let counts = SilentJobCounts {
        requeued: count(is_requeued),
        failed: count(has_failed),
        sent_again: page.messages.len() as u64,
    };
    Ok((counts, !may_have_more(page.found, at_most)))
}

fn is_requeued(before: &Life, after: &Life) -> bool {
    after.content.state == ContentState::Processing && after.content.generation > before.content.generation
}

fn has_failed(before: &Life, after: &Life) -> bool {
    after.content.state == ContentState::Failed && before.content.state != ContentState::Failed
}

/// Returns the time at which the oldest message in a queue was sent, or `None` if the queue is empty.
async fn oldest_in(queue: &impl JobQueue) -> Result<Option<UnixSeconds>, PlatformError> {
    let backlog = queue.backlog().await?;
    Ok(backlog.oldest_at_ms.map(|at_ms| UnixSeconds(at_ms / 1000)))
}

async fn was_edge_there(platform: &impl Platform) -> Result<bool, DatabaseError> {
    let select =
        Statement::new("SELECT 1 FROM sweep_parts WHERE part = 'silent_jobs' AND succeeded_at_unix >= ?1 - ?2");
    platform.database().returns_rows(select.bind(platform.now()).bind(PREVIOUS_RUN_SECONDS)).await
}
