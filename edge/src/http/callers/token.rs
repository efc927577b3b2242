//! The site's back end and the moderators, each by a secret bearer token that is compared in constant time.

use super::{Caller, Credential, Requirement};
use crate::auth::hash::secrets_match;
use crate::auth::header::bearer_token;
use crate::http::App;
use crate::refusal::Refusal;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use contract::ErrorCode;

/// The site's back end, by the service token, or 401 `service_token_invalid`.
pub(crate) struct SiteBackEnd;

/// A member of the media team, by the admin token, or 401 `admin_token_invalid`.
pub(crate) struct Moderator;

impl Caller for SiteBackEnd {
    const REQUIRES: Requirement = Requirement::Required(Credential::ServiceToken);
}

impl Caller for Moderator {
    const REQUIRES: Requirement = Requirement::Required(Credential::AdminToken);
}

impl FromRequestParts<()> for SiteBackEnd {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        let (app, headers) = (App::of(parts)?, &parts.headers);
        require(&app, headers, "SERVICE_TOKEN", ErrorCode::ServiceTokenInvalid).map(|()| Self)
    }
}

impl FromRequestParts<()> for Moderator {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        Self::identify(&App::of(parts)?, &parts.headers)
    }
}

impl Moderator {
    pub(super) fn identify(app: &App, headers: &HeaderMap) -> Result<Self, Refusal> {
        require(app, headers, "ADMIN_TOKEN", ErrorCode::AdminTokenInvalid).map(|()| Self)
    }
}

fn require(app: &App, headers: &HeaderMap, secret: &'static str, otherwise: ErrorCode) -> Result<(), Refusal> {
    let expected = app.strong_secret(secret)?;
    let presented = bearer_token(headers).unwrap_or_default();
    secrets_match(presented, &expected).then_some(()).ok_or_else(|| Refusal::new(otherwise))
}
