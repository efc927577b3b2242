//! Runs what the platform's clock triggers every minute, and logs it.

use super::App;
use super::app::RequestFacts;
use super::webhook_sending::send_or_log;
use crate::bindings::cost::Cost;
use crate::ports::place::Place;
use crate::refusal::Refusal;
use crate::sweep;
use crate::version::{COMMIT, VERSION};
use contract::api::SweepReport;
use tracing::Instrument;
use worker::{Date, Env};

/// Runs the scheduled sweep and calls webhooks. A failure is logged, and the run of the next minute tries again.
pub(crate) async fn run_every_minute(env: Env) {
    let (cost, started_ms) = (Cost::default(), Date::now().as_millis());
    let span = tracing::info_span!("sweep", version = VERSION, commit = COMMIT);
    let app = match App::new(env, RequestFacts { host: String::new(), place: Place::default(), cost: cost.clone() }) {
        Ok(app) => app,
        Err(error) => return tracing::error!(cause = error.cause, "the sweep failed"),
    };
    let outcome = try_sweep(&app).instrument(span.clone()).await;
    match outcome {
        Ok(report) => span.in_scope(|| log_sweep(&report, &cost, started_ms)),
        Err(error) => span.in_scope(|| tracing::error!(cause = error.cause, "the sweep failed")),
    }
    // Last, because it waits for strangers, and includes what the sweep has just published.
    send_or_log(&app).instrument(span).await;
}

async fn try_sweep(app: &App) -> Result<SweepReport, Refusal> {
    sweep::sweep(&app.platform()?).await.map_err(Refusal::internal)
}

fn log_sweep(report: &SweepReport, cost: &Cost, started_ms: u64) {
    // Named one by one, so that a new number cannot be forgotten.
    let SweepReport {
        success: _,
        published_contents,
        purged_tags,
        expired_reservations,
        removed_uploads,
        resent_jobs,
        requeued_contents,
        failed_contents,
        deleted_events,
        cleaned_contents,
    } = *report;
    let duration_ms = Date::now().as_millis().saturating_sub(started_ms);
    let (d1_rows_read, d1_rows_written) = (cost.d1_rows_read(), cost.d1_rows_written());
    let r2_operations = cost.r2_operations();
    tracing::info!(
        published_contents,
        purged_tags,
        expired_reservations,
        removed_uploads,
        resent_jobs,
        requeued_contents,
        failed_contents,
        deleted_events,
        cleaned_contents,
        duration_ms,
        d1_rows_read,
        d1_rows_written,
        r2_operations,
        "swept"
    );
}
