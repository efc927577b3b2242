//! Key management for a signed-in user: create, delete, rotate and look at the account's one API key.

use super::input::{json_object, origin_headers, session};
use crate::api_key::ApiKey;
use crate::bindings::App;
use crate::error::ApiError;
use crate::key_store::{self, StoredKey};
use crate::same_origin;
use crate::session::Session;
use axum::body::Body;
use axum::http::{Method, Request};
use axum::{Extension, Json};
use contract::ErrorCode;
use contract::api::KeyEnvelope;

type Answer = Result<Json<KeyEnvelope>, ApiError>;

/// Makes the account's key and hands it out, this once.
///
/// 403 `csrf_rejected`, 401 `session_required`, 400 `request_malformed`, 409 `api_key_already_exists`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/api/php/user_settings/create_api_key", tag = "keys", security(("session" = [])),
    request_body(content = serde_json::Value, description = "An empty JSON object."),
    responses(
        (status = 200, description = "The full key, in this answer only, and its metadata.", body = KeyEnvelope),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = KeyEnvelope),
        (status = "5XX", description = "Failed on our side.", body = KeyEnvelope),
    )
))]
#[worker::send]
pub async fn create_api_key(Extension(app): Extension<App>, request: Request<Body>) -> Answer {
    let session = authorise(&app, request).await?;
    let (key, stored) = new_key(&app);
    let made = key_store::create_key(
        &app.database()?,
        session.channel_id,
        &stored,
        app.now_unix(),
    )
    .await?;
    let metadata = made.ok_or_else(|| ApiError::new(ErrorCode::ApiKeyAlreadyExists))?;
    Ok(Json(KeyEnvelope::with_key(
        Some(key.reveal().to_owned()),
        metadata,
    )))
}

/// Revokes the account's key at once.
///
/// 403 `csrf_rejected`, 401 `session_required`, 400 `request_malformed`, 404 `api_key_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/api/php/user_settings/delete_api_key", tag = "keys", security(("session" = [])),
    request_body(content = serde_json::Value, description = "An empty JSON object."),
    responses(
        (status = 200, description = "The key is dead, everywhere.", body = KeyEnvelope),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = KeyEnvelope),
        (status = "5XX", description = "Failed on our side.", body = KeyEnvelope),
    )
))]
#[worker::send]
pub async fn delete_api_key(Extension(app): Extension<App>, request: Request<Body>) -> Answer {
    let session = authorise(&app, request).await?;
    let deleted = key_store::delete_key(&app.database()?, session.channel_id).await?;
    deleted
        .then(|| Json(KeyEnvelope::deleted()))
        .ok_or_else(not_found)
}

/// Puts a new key in the place of the account's and hands it out, this once.
///
/// 403 `csrf_rejected`, 401 `session_required`, 400 `request_malformed`, 404 `api_key_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/api/php/user_settings/rotate_api_key", tag = "keys", security(("session" = [])),
    request_body(content = serde_json::Value, description = "An empty JSON object."),
    responses(
        (status = 200, description = "The new full key, in this answer only; the old one is dead.", body = KeyEnvelope),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = KeyEnvelope),
        (status = "5XX", description = "Failed on our side.", body = KeyEnvelope),
    )
))]
#[worker::send]
pub async fn rotate_api_key(Extension(app): Extension<App>, request: Request<Body>) -> Answer {
    let session = authorise(&app, request).await?;
    let (key, stored) = new_key(&app);
    let rotated = key_store::rotate_key(
        &app.database()?,
        session.channel_id,
        &stored,
        app.now_unix(),
    )
    .await?;
    let metadata = rotated.ok_or_else(not_found)?;
    Ok(Json(KeyEnvelope::with_key(
        Some(key.reveal().to_owned()),
        metadata,
    )))
}

/// The metadata of the account's key, never the key. Taken as GET, and as POST like its siblings.
///
/// 403 `csrf_rejected`, 401 `session_required`, 400 `request_malformed`, 404 `api_key_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    method(get, post), path = "/api/php/user_settings/get_api_key", tag = "keys", security(("session" = [])),
    responses(
        (status = 200, description = "The key's metadata.", body = KeyEnvelope),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = KeyEnvelope),
        (status = "5XX", description = "Failed on our side.", body = KeyEnvelope),
    )
))]
#[worker::send]
pub async fn get_api_key(Extension(app): Extension<App>, request: Request<Body>) -> Answer {
    let session = authorise(&app, request).await?;
    let found = key_store::find_key(&app.database()?, session.channel_id).await?;
    found
        .map(|metadata| Json(KeyEnvelope::with_key(None, metadata)))
        .ok_or_else(not_found)
}

/// Same origin first, for it costs nothing; then the session; then the shape of the body.
async fn authorise(app: &App, request: Request<Body>) -> Result<Session, ApiError> {
    let headers = origin_headers(request.headers());
    let own_origin = app.own_origin();
    let own = match *request.method() {
        Method::POST => same_origin::allows_change(headers, &own_origin),
        _ => same_origin::allows_read(headers, &own_origin),
    };
    if !own {
        return Err(ApiError::new(ErrorCode::CsrfRejected));
    }
    let session = session(app, request.headers()).await?;
    json_object(request).await?;
    Ok(session)
}

fn new_key(app: &App) -> (ApiKey, StoredKey) {
    let key = ApiKey::generate(&mut app.entropy());
    let stored = StoredKey {
        hash: key.hash(app.pepper()),
        hint: key.hint(),
    };
    (key, stored)
}

fn not_found() -> ApiError {
    ApiError::new(ErrorCode::ApiKeyNotFound)
}
