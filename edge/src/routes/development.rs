//! Routes that only the end-to-end tests need. They are not compiled into a release build.

use crate::bindings::App;
use crate::database::{Database, Statement};
use crate::error::ApiError;
use axum::Extension;
use axum::extract::{Query, RawQuery};
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

/// Moves the time of a scheduled content, as the query `content_uuid.unix` says: no test waits five minutes.
#[worker::send]
pub async fn schedule(
    Extension(app): Extension<App>,
    RawQuery(wanted): RawQuery,
) -> Result<&'static str, ApiError> {
    let wanted = wanted.unwrap_or_default();
    let (content_uuid, time) = wanted.split_once('.').unwrap_or_default();
    let time: u64 = time.parse()?;
    let schedule =
        Statement::new("UPDATE contents SET scheduled_publish_at_unix = ?2 WHERE uuid = ?1");
    let schedule = schedule.bind(content_uuid).bind(time);
    app.database()?.batch(vec![schedule]).await?;
    Ok("{\"success\":true}")
}

/// Lets the objects of a content, whose uuid is the query, have rested long enough to be swept: no test waits an hour.
#[worker::send]
pub async fn rest(
    Extension(app): Extension<App>,
    RawQuery(content_uuid): RawQuery,
) -> Result<&'static str, ApiError> {
    let rest = Statement::new(
        "UPDATE cleanups SET noticed_at_unix = 1 WHERE content_id = (SELECT id FROM contents WHERE uuid = ?1)",
    );
    let rest = rest.bind(content_uuid);
    app.database()?.batch(vec![rest]).await?;
    Ok("{\"success\":true}")
}

/// Ends the claim of a content's job, whose uuid is the query, as a long silence of its origin would.
#[worker::send]
pub async fn silence(
    Extension(app): Extension<App>,
    RawQuery(content_uuid): RawQuery,
) -> Result<&'static str, ApiError> {
    let silence = Statement::new("UPDATE contents SET claim_ends_at_unix = 1 WHERE uuid = ?1");
    let silence = silence.bind(content_uuid);
    app.database()?.batch(vec![silence]).await?;
    Ok("{\"success\":true}")
}
