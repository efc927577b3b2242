//! Sessions as the site's back end mints and ends them.

use super::input::{read_json, require_service_token};
use crate::bindings::App;
use crate::channels::ensure_channel;
use crate::error::ApiError;
use crate::session::{DEFAULT_TTL_SECONDS, Session, SessionToken, TTL_SECONDS};
use axum::body::Body;
use axum::http::Request;
use axum::{Extension, Json};
use contract::api::{EndSession, MintSession, SessionEnded, SessionMinted};
use contract::limits::{MAX_DAILY_UPLOAD_LIMIT, MAX_SAFE_INTEGER};

/// Signs an account in; its channel comes into being with its first session.
///
/// 401 `service_token_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/internal/sessions", tag = "service", security(("service_token" = [])),
    request_body = MintSession,
    responses(
        (status = 200, description = "The cookie to hand to the browser.", body = SessionMinted),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn mint_session(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<SessionMinted>, ApiError> {
    require_service_token(&app, request.headers())?;
    let wanted: MintSession = read_json(request).await?;
    check(&wanted)?;
    let now = app.now_unix();
    let limit = wanted.daily_upload_limit;
    let channel_id = ensure_channel(&app.database()?, wanted.account_id, limit, now).await?;
    let ttl_seconds = wanted.ttl_seconds.unwrap_or(DEFAULT_TTL_SECONDS);
    let expires_at_unix = now + u64::from(ttl_seconds);
    let session = Session {
        account_id: wanted.account_id,
        channel_id,
        expires_at_unix,
    };
    let token = SessionToken::generate(&mut app.entropy());
    app.sessions()?.keep(&token, &session, ttl_seconds).await?;
    Ok(Json(SessionMinted {
        success: true,
        session_cookie: token.cookie(),
        channel_id,
        expires_at_unix,
    }))
}

/// Ends a session; ending one that is not there is no failure.
///
/// 401 `service_token_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    delete, path = "/internal/sessions", tag = "service", security(("service_token" = [])),
    request_body = EndSession,
    responses(
        (status = 200, description = "The session is over.", body = SessionEnded),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn end_session(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<SessionEnded>, ApiError> {
    require_service_token(&app, request.headers())?;
    let ended: EndSession = read_json(request).await?;
    let token = SessionToken::from_cookies(&ended.session_cookie).ok_or_else(|| {
        ApiError::malformed("`session_cookie` is not a cookie that minting answered.")
            .with_field("session_cookie")
    })?;
    app.sessions()?.forget(&token).await?;
    Ok(Json(SessionEnded { success: true }))
}

fn check(wanted: &MintSession) -> Result<(), ApiError> {
    let refuse = |field, detail: String| Err(ApiError::malformed(detail).with_field(field));
    if !(1..=MAX_SAFE_INTEGER).contains(&wanted.account_id) {
        return refuse(
            "account_id",
            format!("`account_id` must be from 1 to {MAX_SAFE_INTEGER}."),
        );
    }
    if wanted
        .daily_upload_limit
        .is_some_and(|limit| limit > MAX_DAILY_UPLOAD_LIMIT)
    {
        let detail = format!("`daily_upload_limit` must be at most {MAX_DAILY_UPLOAD_LIMIT}.");
        return refuse("daily_upload_limit", detail);
    }
    if wanted
        .ttl_seconds
        .is_some_and(|ttl| !TTL_SECONDS.contains(&ttl))
    {
        let (shortest, longest) = (TTL_SECONDS.start(), TTL_SECONDS.end());
        return refuse(
            "ttl_seconds",
            format!("`ttl_seconds` must be from {shortest} to {longest}."),
        );
    }
    Ok(())
}
