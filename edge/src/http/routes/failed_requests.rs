//! `GET …/developer/failed_requests`: what went wrong with the requests of a channel's programs.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::ChannelOwner;
use crate::people::failed_requests;
use axum::Json;
use axum::http::HeaderMap;
use contract::api::FailedRequests;

/// Returns the failed requests of the last 7 days: the counts by hour and code, and the 50 most recent requests. The
/// list includes requests with the channel's API key or its one-time tokens. A failed request appears within 20
/// seconds, usually within 2. Its body and the client's IP address are not recorded.
///
/// Requests with an invalid key or an unknown token are not included, because they belong to no channel. Requests from
/// a signed-in owner's pages are not recorded. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::FAILED_REQUESTS, tag = "uploads",
    responses((status = 200, description = "The failed requests.", body = FailedRequests))
))]
#[worker::send]
pub async fn list_failed_requests(app: App, owner: ChannelOwner) -> Result<(HeaderMap, Json<FailedRequests>), Refusal> {
    let failed = failed_requests::read(&app.media(), owner.0.channel_id, app.now()).await?;
    Ok(owner.answer(&app, failed))
}
