//! The routes of the blocklist: the list, its changes, and its import and export.

use crate::base::limits::BLOCKLIST_BYTES;
use crate::base::paging::{cut, start};
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{Blocklist as Editor, Look, Moderator};
use crate::http::json_lines::{JsonLines, json_lines, streaming_database};
use crate::http::person_text::require_text;
use crate::http::query::read_query;
use crate::http::routes::moderation::MAX_REASON_CHARACTERS;
use crate::moderation::blocklist::{self, HashesChange};
use crate::moderation::segment_cache::SegmentCache;
use axum::Json;
use axum::http::Uri;
use contract::PictureHash;
use contract::api::{BlockedHash, Blocklist, ChangeHash, HashChanged, HashesImported, ImportHashes};
use contract::limits::MAX_IMPORTED_HASHES;
use serde::Deserialize;
use std::io;

/// Entries on a page.
const PAGE_LENGTH: u32 = 50;
/// The number of entries that are read at once for an export.
const EXPORT_PAGE_LENGTH: u32 = 2_000;

/// The parts of the blocklist that this isolate has read.
pub(super) static SEGMENTS: SegmentCache = SegmentCache::new(BLOCKLIST_BYTES);

/// Lists the blocked hashes, sorted by hash.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_HASHES, tag = "moderation",
    params(("cursor" = Option<String>, Query, nullable = false, description = "The `next_cursor` of the previous page.")),
    responses(
        (status = 200, description = "A page of the blocklist.", body = Blocklist),
    )
))]
#[worker::send]
pub async fn list_hashes(app: App, _: Moderator<Look>, uri: Uri) -> Result<Json<Blocklist>, Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        cursor: Option<String>,
    }
    let Parameters { cursor } = read_query(app.unknown_fields(), &uri)?;
    let after = start(cursor.as_deref(), |hash| is_hash(hash).then(|| hash.to_owned()))?;
    let mut hashes = blocklist::list(&app.database()?, after.as_deref(), PAGE_LENGTH + 1).await?;
    let next_cursor = cut(&mut hashes, PAGE_LENGTH, |last| last.hash.clone());
    Ok(Json(Blocklist { success: true, hashes, next_cursor }))
}

/// Adds a hash to the blocklist. A hash that is already on it stays unchanged.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_HASHES, tag = "moderation",
    request_body = ChangeHash,
    responses(
        (status = 200, description = "The hash is blocked.", body = HashChanged),
    )
))]
#[worker::send]
pub async fn block_hash(
    app: App,
    moderator: Moderator<Editor>,
    JsonBody(change): JsonBody<ChangeHash>,
) -> Result<Json<HashChanged>, Refusal> {
    change_hash(&app, &moderator.name, change, true).await
}

/// Removes a hash from the blocklist. Removing a hash that is not on it succeeds.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    delete, path = contract::paths::MODERATION_HASHES, tag = "moderation",
    request_body = ChangeHash,
    responses(
        (status = 200, description = "The hash is not blocked.", body = HashChanged,
            example = json!(HashChanged { is_blocked: false, ..HashChanged::example() })),
    )
))]
#[worker::send]
pub async fn unblock_hash(
    app: App,
    moderator: Moderator<Editor>,
    JsonBody(change): JsonBody<ChangeHash>,
) -> Result<Json<HashChanged>, Refusal> {
    change_hash(&app, &moderator.name, change, false).await
}

/// Adds up to 1,000 hashes to the blocklist. Hashes that are already on the list stay unchanged.
///
/// Each added hash has its own entry in the trail. To import a longer list, send it in several requests. Each request
/// can be repeated.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_HASH_IMPORT, tag = "moderation",
    request_body = ImportHashes,
    responses(
        (status = 200, description = "All of the hashes are blocked.", body = HashesImported),
    )
))]
#[worker::send]
pub async fn import_hashes(
    app: App,
    moderator: Moderator<Editor>,
    JsonBody(ImportHashes { hashes, reason }): JsonBody<ImportHashes>,
) -> Result<Json<HashesImported>, Refusal> {
    if !(1..=MAX_IMPORTED_HASHES).contains(&hashes.len()) {
        let detail = format!("`hashes` must have 1 to {MAX_IMPORTED_HASHES} hashes.");
        return Err(Refusal::malformed(detail).with_field("hashes"));
    }
    let hashes: Vec<_> = hashes.iter().map(String::as_str).collect();
    hashes.iter().try_for_each(|hash| validate_hash(hash, "hashes"))?;
    let change = valid_change(&hashes, &reason, &moderator.name)?;
    let added = blocklist::block(&app.recording_database()?, change, app.now()).await?;
    tracing::info!(added, sent = hashes.len(), by = moderator.name, "hashes were imported");
    Ok(Json(HashesImported { success: true, added }))
}

/// Exports the whole blocklist, sorted by hash: a line of JSON for each hash.
///
/// Hashes are read while they are sent, so the list can have any length. To continue an interrupted export, send its
/// last `hash` as `after`.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_HASH_EXPORT, tag = "moderation",
    params(("after" = Option<String>, Query, nullable = false, pattern = "^[0-9a-f]{64}$",
        description = "Only larger hashes.")),
    responses(
        (status = 200, description = "The hashes.", body = String, content_type = "application/x-ndjson"),
    )
))]
#[worker::send]
pub async fn export_hashes(app: App, _: Moderator<Look>, uri: Uri) -> Result<JsonLines, Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        after: Option<String>,
    }
    let Parameters { after } = read_query(app.unknown_fields(), &uri)?;
    after.iter().try_for_each(|hash| validate_hash(hash, "after"))?;
    Ok(json_lines(app, after.unwrap_or_default(), hashes_after, |last| last.hash.clone()))
}

async fn change_hash(
    app: &App,
    by: &str,
    ChangeHash { hash, reason }: ChangeHash,
    is_blocked: bool,
) -> Result<Json<HashChanged>, Refusal> {
    validate_hash(&hash, "hash")?;
    let hashes = [hash.as_str()];
    let change = valid_change(&hashes, &reason, by)?;
    let database = app.recording_database()?;
    if is_blocked {
        blocklist::block(&database, change, app.now()).await?;
    } else {
        blocklist::unblock(&database, change, app.now()).await?;
    }
    Ok(Json(HashChanged { success: true, hash, is_blocked }))
}

async fn hashes_after(app: App, after: String) -> io::Result<Vec<BlockedHash>> {
    let database = streaming_database(&app)?;
    blocklist::export(&database, &after, EXPORT_PAGE_LENGTH).await.map_err(io::Error::other)
}

fn valid_change<'a>(hashes: &'a [&'a str], reason: &'a str, by: &'a str) -> Result<HashesChange<'a>, Refusal> {
    require_text(reason, "reason", MAX_REASON_CHARACTERS)?;
    Ok(HashesChange { hashes, reason, by })
}

pub(super) fn validate_hash(hash: &str, field: &'static str) -> Result<(), Refusal> {
    if is_hash(hash) {
        return Ok(());
    }
    let detail = format!("`{field}` is not the hash of a picture. Send 64 lower-case hexadecimal digits.");
    Err(Refusal::malformed(detail).with_field(field))
}

fn is_hash(text: &str) -> bool {
    text.parse::<PictureHash>().is_ok()
}
