//! Sends events to webhooks: soon after they happen, and every minute for deliveries that are due.

use super::App;
use crate::base::refusal::Refusal;
use crate::webhooks::send_due;

/// Sends the deliveries that are due. A failure is logged, and the next minute's run tries again.
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
