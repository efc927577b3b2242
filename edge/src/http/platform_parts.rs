//! Checks whether the parts of the platform that the Worker needs respond: D1, R2, KV and the queue.

use super::App;
use crate::base::limits::OVERLOADED_RETRY_SECONDS;
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::cloudflare::timeout::within;
use crate::platform::database::{Database, Statement};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectStore;
use crate::platform::queue::{Backlog, JobQueue};
use contract::ErrorCode;
use futures_util::future::join4;
use std::time::Duration;

/// A part that takes longer counts as failed.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The results of all checks. The checks change nothing.
pub(super) struct PlatformParts {
    database: Result<(), PlatformError>,
    objects: Result<(), PlatformError>,
    sessions: Result<(), PlatformError>,
    /// The backlog of each queue.
    pub(super) queue: Result<Vec<(&'static str, Backlog)>, PlatformError>,
}

impl PlatformParts {
    /// Asks all parts at the same time.
    pub(super) async fn check(app: &App) -> Self {
        let (database, objects, sessions, queue) = join4(
            within(TIMEOUT, check_database(app)),
            within(TIMEOUT, check_objects(app)),
            within(TIMEOUT, check_sessions(app)),
            within(TIMEOUT, check_queues(app)),
        )
        .await;
        Self { database, objects, sessions, queue }
    }

    /// Returns the name of each part, and why it failed.
    pub(super) fn all(&self) -> [(&'static str, Option<&PlatformError>); 4] {
        [
            ("d1", self.database.as_ref().err()),
            ("r2", self.objects.as_ref().err()),
            ("kv", self.sessions.as_ref().err()),
            ("queue", self.queue.as_ref().err()),
        ]
    }

    pub(super) fn has_database(&self) -> bool {
        self.database.is_ok()
    }

    /// Refuses with 503 and the names of the parts that failed. The log says why.
    pub(super) fn refuse_failed(&self) -> Result<(), Refusal> {
        let all = self.all();
        let failed: Vec<_> = all.iter().filter_map(|(name, error)| Some((*name, (*error)?))).collect();
        if failed.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = failed.iter().map(|(name, _)| *name).collect();
        let causes: Vec<_> = failed.iter().map(|(name, error)| format!("{name}: {error}")).collect();
        let refusal = Refusal { cause: Some(causes.join("; ")), ..Refusal::new(ErrorCode::ServiceUnavailable) };
        let refusal = refusal.with_retry_after(OVERLOADED_RETRY_SECONDS);
        Err(refusal.with_detail(format!("No answer from: {}.", names.join(", "))))
    }
}

async fn check_database(app: &App) -> Result<(), PlatformError> {
    let database = app.database().map_err(cause)?;
    let read = Statement::new("SELECT part FROM sweep_parts LIMIT 1");
    Ok(database.execute(read).await?)
}

async fn check_objects(app: &App) -> Result<(), PlatformError> {
    app.media().read_whole("health").await.map(drop)
}

async fn check_sessions(app: &App) -> Result<(), PlatformError> {
    app.sessions().map_err(cause)?.ping().await
}

async fn check_queues(app: &App) -> Result<Vec<(&'static str, Backlog)>, PlatformError> {
    let platform = app.platform().map_err(cause)?;
    let mut backlogs = vec![("jobs", platform.jobs().backlog().await?)];
    if let Some(queue) = platform.completions() {
        backlogs.push(("completions", queue.backlog().await?));
    }
    Ok(backlogs)
}

fn cause(refusal: Refusal) -> PlatformError {
    PlatformError::Failed(refusal.cause.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(database: Result<(), PlatformError>, sessions: Result<(), PlatformError>) -> PlatformParts {
        let queue = Err(PlatformError::Failed("closed".to_owned()));
        PlatformParts { database, objects: Ok(()), sessions, queue }
    }

    #[test]
    fn a_refusal_names_the_parts_that_failed_and_keeps_their_errors_for_the_log() {
        let refusal = parts(Ok(()), Err(PlatformError::Failed("no answer".to_owned()))).refuse_failed().unwrap_err();
        assert_eq!(refusal.code, ErrorCode::ServiceUnavailable);
        assert_eq!(refusal.retry_after_seconds, Some(OVERLOADED_RETRY_SECONDS));
        assert_eq!(refusal.detail.as_deref(), Some("No answer from: kv, queue."));
        assert_eq!(refusal.cause.as_deref(), Some("kv: no answer; queue: closed"));
    }

    #[test]
    fn only_an_error_of_d1_is_one_of_the_database() {
        assert!(parts(Ok(()), Ok(())).has_database());
        assert!(!parts(Err(PlatformError::Failed("gone".to_owned())), Ok(())).has_database());
    }
}
