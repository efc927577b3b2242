//! Routes that only the end-to-end tests need. They are not compiled into a release build.

use crate::bindings::App;
use crate::database::{Database, Statement};
use crate::error::ApiError;
use axum::Extension;
use std::time::Duration;

/// Panics, to show that its neighbours live on.
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

/// Carries out the statement that the body is. By it tests move the times of rows: nobody waits an hour there.
#[worker::send]
pub async fn change(Extension(app): Extension<App>, sql: String) -> Result<&'static str, ApiError> {
    // Statements live as long as the program everywhere else; the few of a test may as well.
    let statement = Statement::new(sql.leak());
    app.database()?.batch(vec![statement]).await?;
    Ok("{\"success\":true}")
}
