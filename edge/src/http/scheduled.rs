//! The run that the platform's clock triggers every minute, and its log line.

use super::App;
use super::app::RequestFacts;
use super::trace::new_trace;
use super::webhook_sending::send_or_log;
use crate::base::refusal::Refusal;
use crate::base::version::{COMMIT, VERSION};
use crate::platform::cloudflare::cost::Cost;
use crate::platform::cloudflare::traffic;
use crate::upkeep::sweep;
use contract::api::SweepReport;
use tracing::Instrument;
use worker::{Date, Env};

/// Runs the scheduled sweep and calls webhooks. A failure is logged, and the next minute's run tries again.
pub(crate) async fn run_every_minute(env: Env) {
    let (cost, started_ms) = (Cost::default(), Date::now().as_millis());
    let trace = new_trace();
    let span = tracing::info_span!("sweep", trace_id = trace.trace_id_text(), version = VERSION, commit = COMMIT);
    let (host, place, unknown_fields, cross_origin, known_caller) = Default::default();
    let facts = RequestFacts { host, place, cost: cost.clone(), trace, unknown_fields, cross_origin, known_caller };
    let app = match App::new(env.clone(), facts) {
        Ok(app) => app,
        Err(error) => return tracing::error!(cause = error.cause, "the sweep failed"),
    };
    if app.settings().is_closed {
        return;
    }
    let outcome = Box::pin(try_sweep(&app)).instrument(span.clone()).await;
    count(&env, outcome.is_ok(), &cost, started_ms);
    match outcome {
        Ok(report) => span.in_scope(|| log_sweep(&report, &cost, started_ms)),
        Err(error) => span.in_scope(|| tracing::error!(cause = error.cause, "the sweep failed")),
    }
    // Webhooks come last: their servers may be slow, and the sweep may just have published something to announce.
    send_or_log(&app).instrument(span).await;
}

/// Counts the sweep like a request, because it reads most rows.
fn count(env: &Env, succeeded: bool, cost: &Cost, started_ms: u64) {
    let duration_ms = Date::now().as_millis().saturating_sub(started_ms);
    let numbers = [duration_ms, cost.d1_rows_read() as u64, cost.d1_rows_written() as u64];
    traffic::count(env, ["(sweep)", "", if succeeded { "200" } else { "500" }, ""], numbers);
}

async fn try_sweep(app: &App) -> Result<SweepReport, Refusal> {
    Ok(sweep::sweep(&app.platform()?, app.settings().compact_seconds).await?)
}

fn log_sweep(report: &SweepReport, cost: &Cost, started_ms: u64) {
    // The pattern names every field, so that a new field cannot be forgotten.
    macro_rules! log {
        ($($number:ident),*) => {{
            let SweepReport { success: _, $($number),* } = *report;
            tracing::info!(
                $($number,)*
                duration_ms = Date::now().as_millis().saturating_sub(started_ms),
                d1_rows_read = cost.d1_rows_read(),
                d1_rows_written = cost.d1_rows_written(),
                r2_operations = cost.r2_operations(),
                "swept"
            );
        }};
    }
    log!(
        published_contents,
        purged_tags,
        expired_reservations,
        removed_uploads,
        resent_jobs,
        requeued_contents,
        failed_contents,
        deleted_events,
        cleaned_contents
    );
}
