//! The desk of moderators: its page, and signing in there.

use super::static_page::{file_at, page_file};
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::{Anyone, Look, Moderator};
use crate::moderation::queue::{Waiting, count_waiting};
use crate::people::staff::access_token::{AccessToken, SecretKind};
use crate::people::staff::desk_sessions::{self, cookie, no_cookie};
use axum::Json;
use axum::body::Body;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, Response, Uri};
use contract::ErrorCode;
use contract::api::{DeskAccount, DeskSignedIn, DeskSignedOut};
use contract::paths;

/// Everything is on the host of the page itself, files of videos too.
const SOURCES: &str = "connect-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:";

#[worker::send]
pub async fn get_desk(app: App, _: Anyone) -> Result<Response<Body>, Refusal> {
    page_file(&app, paths::DESK_FILES, SOURCES).await
}

#[worker::send]
pub async fn get_desk_file(app: App, _: Anyone, uri: Uri) -> Result<Response<Body>, Refusal> {
    page_file(&app, file_at(uri.path(), paths::DESK_FILES), SOURCES).await
}

/// Exchanges a named token for the desk's session cookie, which scripts cannot read.
///
/// Send the token as `Authorization: Bearer`. The cookie expires after 12 hours, when the token ends, or when you sign
/// out. The operator's secrets are rejected: create a named token, so that the trail names a person.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = paths::DESK_SIGN_IN, tag = "moderation",
    responses(
        (status = 200, description = "The cookie is set.", body = DeskSignedIn, headers(("Set-Cookie"))),
    )
))]
#[worker::send]
pub async fn sign_in(app: App, moderator: Moderator<Look>) -> Result<(HeaderMap, Json<DeskSignedIn>), Refusal> {
    if moderator.session.is_some() {
        return Err(Refusal::new(ErrorCode::AdminTokenInvalid));
    }
    let token = moderator.token.ok_or_else(|| {
        let detail = "The operator's secret cannot be used at the desk. Make a named token for each person.";
        Refusal::new(ErrorCode::TokenRoleMissing).with_detail(detail)
    })?;
    let (pepper, now) = (&app.settings().pepper, app.now());
    let secret = AccessToken::generate(SecretKind::DeskSession, &mut app.entropy(), pepper);
    let hash = pepper.hash(secret.reveal().as_bytes());
    let id = desk_sessions::new_id(&mut app.entropy());
    let session = desk_sessions::start(&app.database()?, token, (id, &hash), now).await?;
    let headers = with_cookie(&cookie(&secret, session, now))?;
    let Moderator { name, roles, .. } = moderator;
    Ok((headers, Json(DeskSignedIn { success: true, name, roles, ends_at_unix: session.ends_at.0 })))
}

/// Signs out of the desk. The cookie and every file URL that it gave access to are invalid immediately.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = paths::DESK_SIGN_OUT, tag = "moderation",
    responses(
        (status = 200, description = "The cookie is no longer valid.", body = DeskSignedOut, headers(("Set-Cookie"))),
    )
))]
#[worker::send]
pub async fn sign_out(app: App, moderator: Moderator<Look>) -> Result<(HeaderMap, Json<DeskSignedOut>), Refusal> {
    if let Some(session) = moderator.session {
        desk_sessions::end(&app.database()?, session.id).await?;
    }
    Ok((with_cookie(&no_cookie())?, Json(DeskSignedOut { success: true })))
}

/// Returns the signed-in moderator and the numbers of waiting videos.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::DESK_ACCOUNT, tag = "moderation",
    responses(
        (status = 200, description = "The moderator, and the numbers of waiting videos.", body = DeskAccount),
    )
))]
#[worker::send]
pub async fn get_desk_account(app: App, moderator: Moderator<Look>) -> Result<Json<DeskAccount>, Refusal> {
    let Waiting { person, check, flagged, appealed } = count_waiting(&app.database()?).await?;
    let Moderator { name, roles, session, .. } = moderator;
    Ok(Json(DeskAccount {
        success: true,
        name,
        roles,
        ends_at_unix: session.map(|session| session.ends_at.0),
        waiting_for_person: person,
        waiting_for_check: check,
        flagged,
        appealed,
        rest_after: app.settings().rest_after,
    }))
}

fn with_cookie(cookie: &str) -> Result<HeaderMap, Refusal> {
    let value = HeaderValue::from_str(cookie).map_err(Refusal::internal)?;
    Ok(HeaderMap::from_iter([(SET_COOKIE, value)]))
}
