//! Carries out the follow-ups of a request's changes (`platform::follow_ups`) after its handler: no route needs to ask
//! for them. The changes have succeeded, so a failure here must not fail the response. The sweep repeats failed work.

use super::App;
use super::webhook_sending::send_or_log;
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::cloudflare::edge_cache::run_after_answer;
use crate::platform::cloudflare::edge_platform::EdgePlatform;
use crate::platform::follow_ups::Due;
use crate::upkeep::removals::store_new;
use crate::viewing::purges::{SETTLE_SECONDS, purge_due};
use std::time::Duration;

/// Copies removals to R2 and purges the cache before the response, so that both are done when it arrives. Calls
/// webhooks after the response.
pub(super) async fn follow_up(app: &App) {
    if let Err(error) = try_follow_up(app, app.follow_ups().take()).await {
        tracing::error!(cause = error.cause, "what follows from a change was left to the sweep");
    }
}

async fn try_follow_up(app: &App, due: Due) -> Result<(), Refusal> {
    if due.removals {
        store_removals_or_log(&app.platform()?).await;
    }
    if due.purges && app.settings().is_behind_cache {
        purge(app.platform()?).await;
    }
    if due.webhooks {
        let app = app.clone();
        run_after_answer(async move { send_or_log(&app).await });
    }
    Ok(())
}

async fn store_removals_or_log(platform: &impl Platform) {
    if let Err(cause) = store_new(platform.database(), platform.objects()).await {
        tracing::error!(%cause, "a removal is not in the removal log yet; the sweep will add it");
    }
}

/// Purges at once, so that the old content is no longer visible when the change returns, and again afterwards, because
/// a response that began before the change may still reach the cache.
async fn purge(platform: EdgePlatform) {
    purge_or_log(&platform).await;
    run_after_answer(async move {
        platform.sleep(Duration::from_secs(SETTLE_SECONDS + 1)).await;
        purge_or_log(&platform).await;
    });
}

async fn purge_or_log(platform: &impl Platform) {
    if let Err(cause) = purge_due(platform).await {
        tracing::warn!(%cause, "a content may still be in the cache; the sweep will purge it");
    }
}
