//! The keys of origins, which the operator makes and ends.

use super::staff::before;
use crate::base::paging::cut;
use crate::base::refusal::Refusal;
use crate::contents::cursor;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{Moderator, Operate};
use crate::jobs::origin_keys;
use axum::Json;
use axum::http::Uri;
use contract::ErrorCode;
use contract::api::{CreateOriginKey, EndOriginKey, OriginKeyCreated, OriginKeyEnded, OriginKeys};
use contract::job::is_origin_name;
use contract::limits::MAX_SAFE_INTEGER;

/// Entries on a page.
const PAGE_LENGTH: u32 = 50;

/// Creates a key for an origin. It is shown once.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::ORIGIN_KEYS, tag = "operator",
    request_body = CreateOriginKey,
    responses(
        (status = 200, description = "The new key.", body = OriginKeyCreated),
    )
))]
#[worker::send]
pub async fn create_origin_key(
    app: App,
    operator: Moderator<Operate>,
    JsonBody(CreateOriginKey { name }): JsonBody<CreateOriginKey>,
) -> Result<Json<OriginKeyCreated>, Refusal> {
    if !is_origin_name(&name) {
        let detail = "`name` must have 1 to 100 visible ASCII characters.";
        return Err(Refusal::malformed(detail).with_field("name"));
    }
    let roots = app.secrets().origin_key_roots()?;
    let key_id = origin_keys::create(&app.recording_database()?, &name, &operator.name, app.now()).await?;
    tracing::info!(key = key_id, origin = name, by = operator.name, "an origin key was made");
    Ok(Json(OriginKeyCreated { success: true, key_id, name, origin_key: roots.issue(key_id).reveal() }))
}

/// Lists the keys of origins without their secrets, newest first. Revoked keys stay listed.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::ORIGIN_KEYS, tag = "operator",
    params(("cursor" = Option<String>, Query, nullable = false, description = "The `next_cursor` of the previous page.")),
    responses(
        (status = 200, description = "A page of the keys.", body = OriginKeys),
    )
))]
#[worker::send]
pub async fn list_origin_keys(app: App, _: Moderator<Operate>, uri: Uri) -> Result<Json<OriginKeys>, Refusal> {
    let mut keys = origin_keys::list(&app.database()?, before(&app, &uri)?, PAGE_LENGTH + 1).await?;
    let next_cursor = cut(&mut keys, PAGE_LENGTH, |last| cursor::after(last.key_id));
    Ok(Json(OriginKeys { success: true, keys, next_cursor }))
}

/// Revokes a key immediately. Revoking a revoked key succeeds.
///
/// Without a valid key, an origin loses its jobs to the other origins.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`,
/// 404 `origin_key_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    delete, path = contract::paths::ORIGIN_KEYS, tag = "operator",
    request_body = EndOriginKey,
    responses(
        (status = 200, description = "The key is no longer valid.", body = OriginKeyEnded),
    )
))]
#[worker::send]
pub async fn end_origin_key(
    app: App,
    operator: Moderator<Operate>,
    JsonBody(EndOriginKey { key_id }): JsonBody<EndOriginKey>,
) -> Result<Json<OriginKeyEnded>, Refusal> {
    let is_found = key_id <= MAX_SAFE_INTEGER
        && origin_keys::end(&app.recording_database()?, key_id, &operator.name, app.now()).await?;
    tracing::info!(key = key_id, by = operator.name, is_found, "an origin key was ended");
    let ended = Json(OriginKeyEnded { success: true, key_id });
    is_found.then_some(ended).ok_or_else(|| Refusal::new(ErrorCode::OriginKeyNotFound))
}
