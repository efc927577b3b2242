//! Removes a content that has just changed from the cache in front of the Worker.

use super::App;
use crate::bindings::edge_cache::run_after_answer;
use crate::ports::platform::Platform;
use crate::purges::{SETTLE_SECONDS, purge_due};
use crate::refusal::Refusal;
use std::time::Duration;

/// Purges at once, so that nobody sees the content any more when the change is answered, and again after the answer.
/// The sweep repeats what fails here.
pub(super) async fn purge_changed(app: &App) -> Result<(), Refusal> {
    if !app.is_behind_cache() {
        return Ok(());
    }
    let platform = app.platform()?;
    purge_or_log(&platform).await;
    run_after_answer(async move {
        platform.sleep(Duration::from_secs(SETTLE_SECONDS + 1)).await;
        purge_or_log(&platform).await;
    });
    Ok(())
}

/// The change itself has succeeded, so a failure here must not fail its answer.
async fn purge_or_log(platform: &impl Platform) {
    if let Err(cause) = purge_due(platform).await {
        tracing::warn!(%cause, "a content may still be in the cache; the sweep will purge it");
    }
}
