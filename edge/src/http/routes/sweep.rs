//! `POST /internal/sweep`: runs the sweep on request. The platform runs it every minute.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::SiteBackEnd;
use crate::upkeep::sweep;
use axum::Json;
use contract::api::SweepReport;

/// Cleans up after crashes and rejected uploads, and sends the jobs that were not sent. Webhooks are called after the
/// response.
///
/// 401 `service_token_invalid`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::SWEEP, tag = "service",
    responses(
        (status = 200, description = "The results of the sweep.", body = SweepReport),
    )
))]
#[worker::send]
pub async fn run_sweep(app: App, _: SiteBackEnd) -> Result<Json<SweepReport>, Refusal> {
    let report = sweep::sweep(&app.platform()?, app.settings().compact_seconds).await?;
    Ok(Json(report))
}
