//! Sessions, which the site's back end creates and ends.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::SiteBackEnd;
use crate::people::auth::session::{DEFAULT_TTL_SECONDS, Session, SessionToken, TTL_SECONDS};
use crate::people::keys::channels::{ChannelSettings, is_valid_name, open_channel};
use axum::Json;
use contract::ErrorCode;
use contract::api::{EndSession, MintSession, SessionEnded, SessionMinted};
use contract::limits::{MAX_CHANNEL_NAME_CHARACTERS, MAX_DAILY_UPLOAD_LIMIT, MAX_SAFE_INTEGER};

/// Signs an account in. The first session of an account creates its channel.
///
/// 401 `service_token_invalid`, 429 `rate_limited`, 400 `request_malformed`, 403 `account_erased`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::SESSIONS, tag = "service",
    request_body = MintSession,
    responses(
        (status = 200, description = "The cookie to set in the browser.", body = SessionMinted),
    )
))]
#[worker::send]
pub async fn mint_session(
    app: App,
    _: SiteBackEnd,
    JsonBody(request): JsonBody<MintSession>,
) -> Result<Json<SessionMinted>, Refusal> {
    validate(&request)?;
    let now = app.now();
    let settings =
        ChannelSettings { daily_upload_limit: request.daily_upload_limit, name: request.channel_name.as_deref() };
    let channel_id = open_channel(&app.database()?, request.account_id, settings, now).await?;
    let channel_id = channel_id.ok_or_else(|| Refusal::new(ErrorCode::AccountErased))?;
    let ttl_seconds = request.ttl_seconds.unwrap_or(DEFAULT_TTL_SECONDS);
    let expires_at = now + u64::from(ttl_seconds);
    let session = Session { account_id: request.account_id, channel_id, expires_at };
    let token = SessionToken::generate(&mut app.entropy());
    app.sessions()?.store(&token, &session, ttl_seconds).await?;
    Ok(Json(SessionMinted {
        success: true,
        session_cookie: token.cookie(),
        channel_id: channel_id.0,
        expires_at_unix: expires_at.0,
    }))
}

/// Ends a session. Ending a session that does not exist succeeds.
///
/// 401 `service_token_invalid`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    delete, path = contract::paths::SESSIONS, tag = "service",
    request_body = EndSession,
    responses(
        (status = 200, description = "The session is ended.", body = SessionEnded),
    )
))]
#[worker::send]
pub async fn end_session(
    app: App,
    _: SiteBackEnd,
    JsonBody(request): JsonBody<EndSession>,
) -> Result<Json<SessionEnded>, Refusal> {
    let token = SessionToken::from_cookies(request.session_cookie.as_bytes()).ok_or_else(|| {
        let detail = "`session_cookie` is not a session cookie. Send the one that signing in returned.";
        Refusal::malformed(detail).with_field("session_cookie")
    })?;
    app.sessions()?.delete(&token).await?;
    Ok(Json(SessionEnded { success: true }))
}

fn validate(request: &MintSession) -> Result<(), Refusal> {
    let refuse = |field, detail: String| Err(Refusal::malformed(detail).with_field(field));
    if !(1..=MAX_SAFE_INTEGER).contains(&request.account_id) {
        return refuse("account_id", format!("`account_id` must be from 1 to {MAX_SAFE_INTEGER}."));
    }
    if request.daily_upload_limit.is_some_and(|limit| limit > MAX_DAILY_UPLOAD_LIMIT) {
        let detail = format!("`daily_upload_limit` must be at most {MAX_DAILY_UPLOAD_LIMIT}.");
        return refuse("daily_upload_limit", detail);
    }
    if request.channel_name.as_deref().is_some_and(|name| !is_valid_name(name)) {
        let detail = format!(
            "`channel_name` must have 1 to {MAX_CHANNEL_NAME_CHARACTERS} visible characters, none of which changes the \
             direction of text."
        );
        return refuse("channel_name", detail);
    }
    if request.ttl_seconds.is_some_and(|ttl| !TTL_SECONDS.contains(&ttl)) {
        let (shortest, longest) = (TTL_SECONDS.start(), TTL_SECONDS.end());
        return refuse("ttl_seconds", format!("`ttl_seconds` must be from {shortest} to {longest}."));
    }
    Ok(())
}
