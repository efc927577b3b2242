//! `GET …/developer/upload_limits`: what is left of the day.

use super::input::key_use;
use crate::bindings::App;
use crate::error::ApiError;
use axum::http::HeaderMap;
use axum::{Extension, Json};
use contract::api::UploadLimits;

/// The daily limit of the key's channel. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/api/php/developer/upload_limits", tag = "uploads", security(("api_key" = [])),
    responses(
        (status = 200, description = "The limit and what remains of it.", body = UploadLimits),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn get_upload_limits(
    Extension(app): Extension<App>,
    headers: HeaderMap,
) -> Result<(HeaderMap, Json<UploadLimits>), ApiError> {
    let usage = key_use(&app, &headers).await?.usage;
    let limits = UploadLimits {
        success: true,
        limit: usage.state(),
        remaining: usage.remaining(),
    };
    let mut headers = HeaderMap::new();
    usage.add_headers(app.now_unix(), &mut headers);
    Ok((headers, Json(limits)))
}
