//! Key management for a signed-in user: create, delete, rotate and show the account's one API key.

use crate::base::ids::ChannelId;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::{JsonBody, JsonObject};
use crate::http::callers::SignedInUser;
use crate::people::keys::api_key::ApiKey;
use crate::people::keys::channels;
use crate::people::keys::daily_changes::AccountChange;
use crate::people::keys::key_store::{self, StoredKey};
use axum::Json;
use contract::ErrorCode;
use contract::api::{KeyEnvelope, RotateApiKey};
use contract::limits::MAX_PREVIOUS_KEY_SECONDS;

type Answer = Result<Json<KeyEnvelope>, Refusal>;

/// Creates the account's API key and returns it. The full key is shown only once.
///
/// 403 `csrf_rejected`, 415 `json_content_type_required`, 401 `session_required`, 429 `rate_limited`,
/// 400 `request_malformed`, 409 `api_key_already_exists`, 403 `account_erased`,
/// 429 `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::CREATE_API_KEY, tag = "keys",
    request_body(content = contract::api::EmptyObject),
    responses(
        (status = 200, description = "The full key, in this response only, and its metadata.", body = KeyEnvelope,
            example = json!(KeyEnvelope::example_of_new_key(None))),
    )
))]
#[worker::send]
pub async fn create_api_key(app: App, SignedInUser(session): SignedInUser, _: JsonObject) -> Answer {
    let (key, stored) = generate_key(&app);
    let created = key_store::create(&app.recording_database()?, session.channel_id, &stored, app.now()).await?;
    let Some(metadata) = created else { return Err(refuse_creation(&app, session.channel_id).await?) };
    Ok(Json(KeyEnvelope::with_key(Some(key.reveal().to_owned()), metadata)))
}

/// Deletes the account's API key. The key is invalid once the call returns.
///
/// 403 `csrf_rejected`, 415 `json_content_type_required`, 401 `session_required`, 429 `rate_limited`,
/// 400 `request_malformed`, 404 `api_key_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::DELETE_API_KEY, tag = "keys",
    request_body(content = contract::api::EmptyObject),
    responses(
        (status = 200, description = "The key is deleted. All later requests with it are rejected.", body = KeyEnvelope,
            example = json!(KeyEnvelope::without_key())),
    )
))]
#[worker::send]
pub async fn delete_api_key(app: App, SignedInUser(session): SignedInUser, _: JsonObject) -> Answer {
    let deleted = key_store::delete(&app.recording_database()?, session.channel_id).await?;
    deleted.then(|| Json(KeyEnvelope::without_key())).ok_or_else(not_found)
}

/// Replaces the account's API key with a new one and returns it. The full key is shown only once. The old key is
/// invalid at once, or, on request, after up to a day.
///
/// 403 `csrf_rejected`, 415 `json_content_type_required`, 401 `session_required`, 429 `rate_limited`,
/// 400 `request_malformed`, 404 `api_key_not_found`, 429 `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::ROTATE_API_KEY, tag = "keys",
    request_body(content = RotateApiKey),
    responses(
        (status = 200, description = "The new full key, in this response only.",
            body = KeyEnvelope, example = json!(KeyEnvelope::example_of_new_key(Some(contract::example::NOW)))),
    )
))]
#[worker::send]
pub async fn rotate_api_key(
    app: App,
    SignedInUser(session): SignedInUser,
    JsonBody(request): JsonBody<RotateApiKey>,
) -> Answer {
    let seconds = request.previous_key_valid_seconds.unwrap_or_default();
    if seconds > MAX_PREVIOUS_KEY_SECONDS {
        let detail = format!("`previous_key_valid_seconds` must be from 0 to {MAX_PREVIOUS_KEY_SECONDS}.");
        return Err(Refusal::malformed(&detail).with_field("previous_key_valid_seconds"));
    }
    let (key, stored) = generate_key(&app);
    let database = app.recording_database()?;
    let rotated = key_store::rotate(&database, session.channel_id, &stored, seconds, app.now()).await?;
    let Some(metadata) = rotated else { return Err(refuse_rotation(&app, session.channel_id).await?) };
    Ok(Json(KeyEnvelope::with_key(Some(key.reveal().to_owned()), metadata)))
}

/// Returns the metadata of the account's API key, never the key itself. `key` is null if the account has none.
///
/// 403 `csrf_rejected`, 401 `session_required`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::GET_API_KEY, tag = "keys",
    responses((status = 200, description = "The key's metadata, or null if the account has no key.", body = KeyEnvelope))
))]
#[worker::send]
pub async fn get_api_key(app: App, SignedInUser(session): SignedInUser, _: JsonObject) -> Answer {
    let metadata = key_store::find(&app.database()?, session.channel_id).await?;
    Ok(Json(metadata.map_or_else(KeyEnvelope::without_key, |metadata| KeyEnvelope::with_key(None, metadata))))
}

/// Returns the metadata of the account's API key, like GET, for clients that send only POST.
///
/// 403 `csrf_rejected`, 415 `json_content_type_required`, 401 `session_required`, 429 `rate_limited`,
/// 400 `request_malformed`.
// Only for the OpenAPI document, whose operations must not share an id. `get_api_key` answers both methods.
#[cfg(not(target_arch = "wasm32"))]
#[utoipa::path(
    post, path = contract::paths::GET_API_KEY, tag = "keys",
    request_body(content = contract::api::EmptyObject),
    responses((status = 200, description = "The key's metadata, or null if the account has no key.", body = KeyEnvelope))
)]
#[expect(dead_code, reason = "only described")]
fn get_api_key_by_post() {}

fn generate_key(app: &App) -> (ApiKey, StoredKey) {
    let key = ApiKey::generate(&mut app.entropy());
    let stored = StoredKey { hash: key.hash(&app.settings().pepper), hint: key.hint() };
    (key, stored)
}

/// Returns the reason why a channel got no key: it was erased, had a key, or created too many today. The key may have
/// been deleted since, but an erased account stays erased.
async fn refuse_creation(app: &App, channel_id: ChannelId) -> Result<Refusal, Refusal> {
    let database = app.database()?;
    if channels::is_erased(&database, channel_id).await? {
        return Ok(Refusal::new(ErrorCode::AccountErased));
    }
    let has_key = key_store::find(&database, channel_id).await?.is_some();
    if !has_key && AccountChange::NewKey.is_exceeded(&database, channel_id, app.now()).await? {
        return Ok(too_many_keys(app));
    }
    Ok(Refusal::new(ErrorCode::ApiKeyAlreadyExists))
}

/// Returns the reason why a key was not replaced: there was none, or the account created too many today. A key may have
/// been created since.
async fn refuse_rotation(app: &App, channel_id: ChannelId) -> Result<Refusal, Refusal> {
    let database = app.database()?;
    let has_key = key_store::find(&database, channel_id).await?.is_some();
    if has_key && AccountChange::NewKey.is_exceeded(&database, channel_id, app.now()).await? {
        return Ok(too_many_keys(app));
    }
    Ok(not_found())
}

fn too_many_keys(app: &App) -> Refusal {
    Refusal::too_many_account_changes(AccountChange::NewKey.max(), app.now())
}

fn not_found() -> Refusal {
    Refusal::new(ErrorCode::ApiKeyNotFound)
}
