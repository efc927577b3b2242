//! Similar videos: groups in the queue, and the matches of a video with the blocklist.

use super::blocklist::SEGMENTS;
use crate::base::ids::ContentUuid;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::{Look, Moderator};
use crate::http::query::read_query;
use crate::moderation::screening::Blocklist;
use crate::moderation::{matches, queue_groups};
use crate::platform::Platform;
use axum::Json;
use axum::http::Uri;
use contract::ErrorCode;
use contract::api::{BlocklistMatches, FrameFound, QueueGroups};
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;

/// Lists the groups of similar videos among the first 100 that wait for a person.
///
/// At least half of the pictures of each video of a group resemble those of the others, in any orientation, or they
/// are the same file. Each is in at most one group. Similar videos may differ in parts, and copies of a file in their
/// texts and thumbnails: look at each one before you approve it.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_GROUPS, tag = "moderation",
    responses(
        (status = 200, description = "The groups.", body = QueueGroups),
    )
))]
#[worker::send]
pub async fn list_groups(app: App, _: Moderator<Look>) -> Result<Json<QueueGroups>, Refusal> {
    Ok(Json(QueueGroups { success: true, groups: queue_groups::list(&app.database()?).await? }))
}

/// Compares the frames of a video with the blocklist as it is now, and returns the most similar pictures.
///
/// Hashes that were taken from this video are left out.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_MATCHES, tag = "moderation",
    params(("content_uuid" = String, Query, description = "The UUID of the video.")),
    responses(
        (status = 200, description = "The matches, at most twelve.", body = BlocklistMatches),
    )
))]
#[worker::send]
pub async fn list_matches(app: App, moderator: Moderator<Look>, uri: Uri) -> Result<Json<BlocklistMatches>, Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        content_uuid: String,
    }
    let Parameters { content_uuid } = read_query(app.unknown_fields(), &uri)?;
    let platform = app.platform()?;
    let blocklist = Blocklist { database: platform.database(), objects: platform.objects(), segments: &SEGMENTS };
    let found = matches::find(&blocklist, &ContentUuid::new(content_uuid), moderator.review_addresses(&app)).await?;
    found.map(Json).ok_or_else(|| Refusal::new(ErrorCode::ContentNotFound))
}

/// Returns the hash of the stored frame that is nearest to a time in a video, for example to block it.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_FRAME, tag = "moderation",
    params(
        ("content_uuid" = String, Query, description = "The UUID of the video."),
        ("at_ms" = u64, Query, maximum = 9_007_199_254_740_991_i64, description = "The time in the video."),
    ),
    responses(
        (status = 200, description = "The frame.", body = FrameFound),
    )
))]
#[worker::send]
pub async fn get_frame(app: App, _: Moderator<Look>, uri: Uri) -> Result<Json<FrameFound>, Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        content_uuid: String,
        at_ms: u64,
    }
    let Parameters { content_uuid, at_ms } = read_query(app.unknown_fields(), &uri)?;
    if at_ms > MAX_SAFE_INTEGER {
        return Err(Refusal::malformed("`at_ms` must be at most 9007199254740991.").with_field("at_ms"));
    }
    let found = matches::find_frame(&app.database()?, &app.media(), &ContentUuid::new(content_uuid), at_ms).await?;
    found.map(Json).ok_or_else(|| Refusal::new(ErrorCode::ContentNotFound))
}
