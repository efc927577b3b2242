//! `GET …/developer/upload_limits`: the daily limit, the remaining quota, and the limits of an upload.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::ChannelOwner;
use crate::people::keys::daily_changes::max_content_changes;
use crate::uploads::slot::reservation::count_open;
use axum::Json;
use axum::http::HeaderMap;
use contract::api::{UploadLimits, UploadRules};
use contract::limits::{KEY_REQUESTS_SECONDS, MAX_KEY_REQUESTS};

/// Returns the limits of the key's channel: daily uploads, open uploads, daily changes, and what an upload may contain.
/// Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::UPLOAD_LIMITS, tag = "uploads",
    responses(
        (status = 200, description = "The limits and the remaining quota of the day.", body = UploadLimits),
    )
))]
#[worker::send]
pub async fn get_upload_limits(app: App, holder: ChannelOwner) -> Result<(HeaderMap, Json<UploadLimits>), Refusal> {
    let (usage, pace) = (holder.0.usage, app.settings().upload_pace);
    let open_uploads = count_open(&app.database()?, holder.0.channel_id, app.now()).await?;
    let max_daily_changes = max_content_changes(usage.amount);
    let limits = UploadLimits {
        success: true,
        limit: usage.state(),
        remaining: usage.remaining(),
        max_open_uploads: app.settings().max_open_uploads,
        open_uploads,
        max_daily_changes,
        remaining_changes: max_daily_changes.saturating_sub(holder.0.content_changes),
        changes_reset_time_unix: usage.resets_at().0,
        max_requests: MAX_KEY_REQUESTS,
        request_period_seconds: KEY_REQUESTS_SECONDS,
        accepts: UploadRules {
            max_resumable_bytes: app.settings().max_resumable_bytes,
            ..UploadRules::new(app.settings().max_upload_bytes, pace.min_bytes_per_second, pace.window_seconds)
        },
    };
    Ok(holder.answer(&app, limits))
}
