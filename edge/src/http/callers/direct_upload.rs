//! The holder of a one-time token: a device of a user of an API client.
//!
//! Malformed, unknown, expired and revoked tokens all get the same answer: 401 `direct_upload_token_invalid`. A used
//! one shows its video for an hour. As with API keys, an address that sends too many unknown tokens gets 429 before any
//! query.

use super::{Caller, Credential, Requirement};
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::cross_origin::origin_of;
use crate::http::query::require_known;
use crate::people::auth::client_network::client_network;
use crate::people::auth::header::bearer_token;
use crate::people::keys::recent_keys::RecentKeys;
use crate::people::keys::request_rate::{RequestRate, count_request};
use crate::platform::cloudflare::rate_limit::{PERIOD_SECONDS, RateLimit};
use crate::uploads::direct::{self, DirectToken, Grant};
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use contract::ErrorCode;
use contract::api::{DirectUploadState, PresentedCredential};
use worker::send::SendFuture;

static RECENT_TOKENS: RecentKeys = RecentKeys::new();

/// The holder of a token in the header `Authorization` that can be used, or was used not long ago.
pub(crate) struct DirectUploader(pub Grant);

impl Caller for DirectUploader {
    const REQUIRES: Requirement = Requirement::Required(Credential::DirectUploadToken);
}

impl FromRequestParts<()> for DirectUploader {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        SendFuture::new(async {
            let app = App::of(parts)?;
            let token = bearer_token(&parts.headers).and_then(DirectToken::parse).ok_or_else(invalid)?;
            let holder = Self::identify(&app, &token, &parts.headers).await?;
            require_known(app.unknown_fields(), &parts.uri, &[])?;
            Ok(holder)
        })
        .await
    }
}

/// Anyone who posts a form: its first field may have the token.
pub(crate) struct PostedForm;

impl Caller for PostedForm {
    const REQUIRES: Requirement = Requirement::Required(Credential::DirectUploadToken);
}

impl FromRequestParts<()> for PostedForm {
    type Rejection = Refusal;

    async fn from_request_parts(_: &mut Parts, (): &()) -> Result<Self, Refusal> {
        Ok(Self)
    }
}

impl DirectUploader {
    /// Looks the token up. From then on, the pages of its origin can read the response, and no others may use it.
    pub(in crate::http) async fn identify(
        app: &App,
        token: &DirectToken,
        headers: &HeaderMap,
    ) -> Result<Self, Refusal> {
        let hash = app.settings().pepper.hash(token.reveal().as_bytes());
        let network = client_network(headers);
        let is_recent = RECENT_TOKENS.contains(&hash, app.now());
        let counted =
            count_request(is_recent, app.count(RateLimit::Address, &network), app.count(RateLimit::Key, hash.as_str()));
        if counted.await != RequestRate::Within {
            return Err(Refusal::new(ErrorCode::RateLimited).with_retry_after(PERIOD_SECONDS));
        }
        let Some(grant) = direct::find(&app.database()?, &token.hash(), app.now()).await? else {
            RECENT_TOKENS.remove(&hash);
            return Err(invalid());
        };
        RECENT_TOKENS.insert(&hash, app.now());
        // The owner wants to know of tokens that were used too late, too.
        app.known_caller().note(grant.channel_id, PresentedCredential::DirectUploadToken);
        if let Some(origin) = &grant.rules.allowed_origin {
            app.cross_origin().allow(origin);
        }
        grant.rules.require_origin(origin_of(headers))?;
        match grant.state {
            DirectUploadState::Open | DirectUploadState::Used => Ok(Self(grant)),
            DirectUploadState::Expired | DirectUploadState::Revoked => Err(invalid()),
        }
    }

    /// Returns what the token permits, unless it was used already.
    pub(in crate::http) fn unused(self) -> Result<Grant, Refusal> {
        let is_used = self.0.state == DirectUploadState::Used;
        if is_used { Err(Refusal::new(ErrorCode::DirectUploadUsed)) } else { Ok(self.0) }
    }
}

pub(in crate::http) fn invalid() -> Refusal {
    Refusal::new(ErrorCode::DirectUploadTokenInvalid)
}
