//! Routes that only the end-to-end tests need. A release build does not contain them.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::Anyone;
use crate::platform::Platform;
use crate::platform::cloudflare::r2::R2ErrorCode;
use crate::platform::cloudflare::stall;
use crate::platform::database::{Database, Statement};
use crate::platform::object_store::{ObjectStore, PartAddress, Segment, StoredPart};
use std::time::Duration;

pub(crate) const PANIC: &str = "/dev/panic";
pub(crate) const SLOW: &str = "/dev/slow";
pub(crate) const CHANGE: &str = "/dev/change";
pub(crate) const STALL: &str = "/dev/stall";
pub(crate) const END_TWICE: &str = "/dev/end_multipart_twice";

/// The time for changes that fill a table with many rows.
const CHANGE_TIME: Duration = Duration::from_mins(10);
/// Longer than any stall that was reported of a real database.
const LONGEST_STALL_SECONDS: u64 = 90;

const DONE: &str = "{\"success\":true}";

/// Panics, to show that other requests continue.
#[worker::send]
pub(crate) async fn panic(_: Anyone) {
    worker::Delay::from(Duration::from_millis(50)).await;
    panic!("asked to panic");
}

/// Takes two seconds, to be in flight while another request panics.
#[worker::send]
pub(crate) async fn slow(_: Anyone) -> &'static str {
    worker::Delay::from(Duration::from_secs(2)).await;
    DONE
}

/// Runs the statement in the body. Tests use it to change the times of rows instead of waiting.
#[worker::send]
pub(crate) async fn change(app: App, _: Anyone, sql: String) -> Result<&'static str, Refusal> {
    app.database()?.patient(CHANGE_TIME).execute(Statement::new(sql)).await?;
    Ok(DONE)
}

/// Makes the database stall for the number of seconds in the body, from now on and for every request.
#[worker::send]
pub(crate) async fn stall(_: App, _: Anyone, seconds: String) -> Result<&'static str, Refusal> {
    let seconds: u64 = seconds.parse().map_err(Refusal::internal)?;
    stall::begin(Duration::from_secs(seconds.min(LONGEST_STALL_SECONDS)));
    Ok(DONE)
}

/// Ends multipart uploads twice. A second abort must succeed, and the error of a second completion must be recognised.
#[worker::send]
pub(crate) async fn end_twice(app: App, _: Anyone) -> Result<&'static str, Refusal> {
    let platform = app.platform()?;
    let objects = platform.objects();
    let aborted = objects.start_multipart("dev/aborted").await?;
    objects.abort("dev/aborted", &aborted).await?;
    objects.abort("dev/aborted", &aborted).await?;
    let completed = objects.start_multipart("dev/completed").await?;
    let mut bytes = objects.segment(1);
    bytes.append(b"x");
    let part = PartAddress { key: "dev/completed", multipart_id: &completed, number: 1 };
    let (etag, _) = objects.send_part(part, bytes).await?;
    let parts = [StoredPart { number: 1, etag }];
    objects.complete("dev/completed", &completed, &parts).await?;
    let Err(error) = objects.complete("dev/completed", &completed, &parts).await else {
        return Err(Refusal::internal("a second completion succeeded"));
    };
    if R2ErrorCode::of(&error) != Some(R2ErrorCode::NoSuchUpload) {
        return Err(error.into());
    }
    objects.abort("dev/completed", &completed).await?;
    objects.delete(&["dev/completed".to_owned()]).await?;
    Ok(DONE)
}
