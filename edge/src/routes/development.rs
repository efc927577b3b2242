//! Routes that only the end-to-end tests need. They are not compiled into a release build.

use crate::bindings::App;
use crate::database::{Database, Statement};
use crate::error::ApiError;
use axum::Extension;
use axum::extract::Query;
use serde::Deserialize;
use std::time::Duration;

/// Panics, to show that its neighbours live on.
#[expect(clippy::panic, reason = "this is what it is for")]
#[worker::send]
pub async fn panic() {
    worker::Delay::from(Duration::from_millis(50)).await;
    panic!("asked to panic");
}

/// Takes two seconds, to be in flight while another panics.
#[worker::send]
pub async fn slow() -> &'static str {
    worker::Delay::from(Duration::from_secs(2)).await;
    "{\"success\":true}"
}

#[derive(Deserialize)]
pub struct Whose {
    channel_id: u64,
}

/// Ends the leases of a channel's uploads now, as their silence would in its time.
#[worker::send]
pub async fn end_leases(
    Extension(app): Extension<App>,
    Query(whose): Query<Whose>,
) -> Result<&'static str, ApiError> {
    let end = Statement::new(
        "UPDATE uploads SET lease_ends_at_unix = 0 WHERE channel_id = ?1 AND state = 'reserved'",
    );
    let end = end.bind(whose.channel_id);
    app.database()?.batch(vec![end]).await?;
    Ok("{\"success\":true}")
}
