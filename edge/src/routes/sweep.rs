//! `POST /internal/sweep`: the sweep that the clock runs every minute, on demand.

use super::input::require_service_token;
use crate::bindings::App;
use crate::error::ApiError;
use crate::sweep;
use axum::http::HeaderMap;
use axum::{Extension, Json};
use contract::api::SweepReport;

/// Removes what crashes and refusals left behind and sends what was not sent.
///
/// 401 `service_token_invalid`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/internal/sweep", tag = "service", security(("service_token" = [])),
    responses(
        (status = 200, description = "What was done.", body = SweepReport),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn run_sweep(
    Extension(app): Extension<App>,
    headers: HeaderMap,
) -> Result<Json<SweepReport>, ApiError> {
    require_service_token(&app, &headers)?;
    Ok(Json(sweep::sweep(&app.platform()?).await?))
}
