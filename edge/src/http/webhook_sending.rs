//! Sends events to webhooks soon after they happened, and what is due in every minute.

use super::App;
use crate::bindings::edge_cache::run_after_answer;
use crate::refusal::Refusal;
use crate::webhooks::send_due;

/// Sends what is due after the answer, so that an event does not wait for the minute. The sweep's run repeats what
/// fails here.
pub(super) fn send_after_answer(app: &App) {
    let app = app.clone();
    run_after_answer(async move { send_or_log(&app).await });
}

/// Sends what is due. A failure is logged, and the run of the next minute tries again.
pub(super) async fn send_or_log(app: &App) {
    match send(app).await {
        Ok(0) => {}
        Ok(requests) => tracing::info!(requests, "webhooks were called"),
        Err(error) => tracing::error!(cause = error.cause, "webhooks could not be called"),
    }
}

async fn send(app: &App) -> Result<u64, Refusal> {
    let settings = app.webhook_settings()?;
    Ok(send_due(&app.platform()?, &settings).await?)
}
