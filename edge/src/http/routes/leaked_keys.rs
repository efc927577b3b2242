//! Keys that were found in public.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::Anyone;
use crate::people::auth::client_network::client_network;
use crate::people::keys::api_key::ApiKey;
use crate::people::keys::key_store;
use crate::platform::cloudflare::rate_limit::{PERIOD_SECONDS, RateLimit};
use axum::Json;
use axum::http::HeaderMap;
use contract::ErrorCode;
use contract::api::{LeakedKeyReported, ReportLeakedKey};

/// Revokes a leaked API key. No other credential is required, because anyone who has the key could misuse it.
///
/// A valid key is deleted immediately, and its owner gets a `key.deleted` event. The response does not reveal whether
/// the key was valid.
///
/// 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::REPORT_LEAKED_KEY, tag = "keys",
    request_body = ReportLeakedKey,
    responses(
        (status = 200, description = "The key is no longer valid.", body = LeakedKeyReported),
    )
))]
#[worker::send]
pub async fn report_leaked_key(
    app: App,
    _: Anyone,
    headers: HeaderMap,
    JsonBody(report): JsonBody<ReportLeakedKey>,
) -> Result<Json<LeakedKeyReported>, Refusal> {
    if !app.count(RateLimit::Address, &client_network(&headers)).await {
        return Err(Refusal::new(ErrorCode::RateLimited).with_retry_after(PERIOD_SECONDS));
    }
    let key = ApiKey::parse(report.api_key.trim()).ok_or_else(|| {
        let detail = "`api_key` is not an API key. Check that it is complete.";
        Refusal::malformed(detail).with_field("api_key")
    })?;
    let was_valid = key_store::end_leaked(&app.recording_database()?, &key.hash(&app.settings().pepper)).await?;
    tracing::warn!(was_valid, "a key was reported as leaked");
    Ok(Json(LeakedKeyReported { success: true }))
}
