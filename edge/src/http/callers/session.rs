//! A user who is signed in to the site, by a session's cookie, and any caller on a page of the site.

use super::{Caller, Credential, Requirement};
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::people::auth::client_network::client_network;
use crate::people::auth::header::single;
use crate::people::auth::same_origin::{self, RequestHeaders};
use crate::people::auth::session::{self, Session, SessionToken};
use crate::platform::cloudflare::rate_limit::{PERIOD_SECONDS, RateLimit};
use axum::extract::FromRequestParts;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderName, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use contract::ErrorCode;
use worker::send::SendFuture;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A signed-in user, on a page of the site. The headers are checked before the session, because that needs no lookup:
/// 403 `csrf_rejected`, 415 `json_content_type_required`, then 401 `session_required`. Then the request is counted: 429
/// `rate_limited`.
pub(crate) struct SignedInUser(pub Session);

impl Caller for SignedInUser {
    const REQUIRES: Requirement = Requirement::Required(Credential::Session);
}

impl FromRequestParts<()> for SignedInUser {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        SendFuture::new(async {
            let app = App::of(parts)?;
            Self::read(&app, parts, false).await
        })
        .await
    }
}

impl SignedInUser {
    pub(super) async fn read(app: &App, parts: &Parts, may_send_form: bool) -> Result<Self, Refusal> {
        require_own_page(&parts.method, &parts.headers, &app.own_origin(), may_send_form)?;
        count(app, find(app, &parts.headers).await?).await.map(Self)
    }
}

/// Whether a request without the header `Authorization` is a signed-in user's, or would be if the session had not
/// ended.
pub(super) fn is_of_page(headers: &HeaderMap) -> bool {
    let has_session = || headers.get_all(COOKIE).iter().any(|value| session::is_in_cookies(value.as_bytes()));
    let is_own_page = || single(headers, SEC_FETCH_SITE) == Some("same-origin");
    !headers.contains_key(AUTHORIZATION) && (has_session() || is_own_page())
}

/// Returns the session of the request's cookie, or 401 `session_required`. An address that sends too many invalid ones
/// gets 429 `rate_limited`.
pub(super) async fn find(app: &App, headers: &HeaderMap) -> Result<Session, Refusal> {
    let required = || Refusal::new(ErrorCode::SessionRequired);
    let mut cookies = headers.get_all(COOKIE).iter();
    let token = cookies.find_map(|value| SessionToken::from_cookies(value.as_bytes())).ok_or_else(required)?;
    let session = app.sessions()?.find(&token).await?.filter(|session| session.is_valid(app.now()));
    match session {
        Some(session) => Ok(session),
        None if app.count(RateLimit::Address, &client_network(headers)).await => Err(required()),
        None => Err(Refusal::new(ErrorCode::RateLimited).with_retry_after(PERIOD_SECONDS)),
    }
}

/// Counts a request of a session against the rate of its account, which all its sessions share. The rate is the same as
/// for an API key.
async fn count(app: &App, session: Session) -> Result<Session, Refusal> {
    let is_within = app.count(RateLimit::Key, &format!("account:{}", session.account_id)).await;
    let exceeded = || Refusal::new(ErrorCode::RateLimited).with_retry_after(PERIOD_SECONDS);
    is_within.then_some(session).ok_or_else(exceeded)
}

/// Any caller on a page of the site or outside a browser: 403 `csrf_rejected`, 415 `json_content_type_required`.
pub(crate) struct AnyoneHere;

impl Caller for AnyoneHere {
    const REQUIRES: Requirement = Requirement::Nothing;
}

impl FromRequestParts<()> for AnyoneHere {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        require_own_page(&parts.method, &parts.headers, &App::of(parts)?.own_origin(), false).map(|()| Self)
    }
}

/// Refuses a request that a page of another site may have caused. A form may be sent by the site's own pages only, and
/// without a header that says so, the type must be JSON.
pub(super) fn require_own_page(
    method: &Method,
    headers: &HeaderMap,
    own_origin: &str,
    may_send_form: bool,
) -> Result<(), Refusal> {
    let source = origin_headers(headers);
    if !same_origin::allows(source, own_origin) {
        return Err(Refusal::new(ErrorCode::CsrfRejected));
    }
    let is_json = || single(headers, CONTENT_TYPE).is_some_and(same_origin::is_json);
    if method == Method::POST && !(may_send_form && source.name_a_page()) && !is_json() {
        return Err(Refusal::new(ErrorCode::JsonContentTypeRequired));
    }
    Ok(())
}

/// Returns the headers that distinguish the site's own pages from others. An unreadable header counts as foreign.
fn origin_headers(headers: &HeaderMap) -> RequestHeaders<'_> {
    let read = |name| headers.contains_key(&name).then(|| single(headers, name).unwrap_or(""));
    RequestHeaders { sec_fetch_site: read(SEC_FETCH_SITE), origin: read(ORIGIN) }
}
