//! A viewer, who may also be the owner of a content or a moderator.

use super::token::holder_with_role;
use super::{Caller, Credential, PresentedKey, Requirement, session};
use crate::base::ids::ChannelId;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::people::auth::header::bearer_token;
use crate::people::keys::api_key::ApiKey;
use crate::viewing::access::Viewer;
use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use contract::ErrorCode;
use contract::api::TokenRole;
use std::convert::Infallible;

/// Any caller. The credential is checked only if the file depends on it.
pub(crate) struct AnyViewer(HeaderMap);

impl Caller for AnyViewer {
    const REQUIRES: Requirement =
        Requirement::Optional(&[Credential::ApiKey, Credential::Session, Credential::AdminToken]);
}

impl FromRequestParts<()> for AnyViewer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Infallible> {
        Ok(Self(parts.headers.clone()))
    }
}

impl AnyViewer {
    /// Identifies a moderator, the holder of a valid key, or a signed-in user. Any other caller is anonymous, even with
    /// an invalid credential.
    pub(crate) async fn identify(&self, app: &App) -> Result<Viewer, Refusal> {
        if self.is_moderator(app).await? {
            return Ok(Viewer::Moderator);
        }
        let channel = channel_of(app, &self.0).await?;
        Ok(channel.map_or(Viewer::Anonymous, Viewer::Channel))
    }
}

impl AnyViewer {
    /// Whether the credential is the token of a moderator. An API key is not looked at.
    async fn is_moderator(&self, app: &App) -> Result<bool, Refusal> {
        if bearer_token(&self.0).is_none_or(|token| ApiKey::parse(token).is_some()) {
            return Ok(false);
        }
        match holder_with_role(app.clone(), Method::GET, self.0.clone(), TokenRole::Look).await {
            Ok(_) => Ok(true),
            Err(refusal) if is_no_moderator(refusal.code) => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }
}

/// Any caller. The channel is determined only if there is something that only its owner may see.
pub(crate) struct AnyChannel(HeaderMap);

impl Caller for AnyChannel {
    const REQUIRES: Requirement = Requirement::Optional(&[Credential::ApiKey, Credential::Session]);
}

impl FromRequestParts<()> for AnyChannel {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Infallible> {
        Ok(Self(parts.headers.clone()))
    }
}

impl AnyChannel {
    /// Returns the channel of a valid key or of a signed-in user, or `None` if there is no valid credential.
    pub(crate) async fn identify(&self, app: &App) -> Result<Option<ChannelId>, Refusal> {
        channel_of(app, &self.0).await
    }
}

async fn channel_of(app: &App, headers: &HeaderMap) -> Result<Option<ChannelId>, Refusal> {
    let channel = if headers.contains_key(AUTHORIZATION) {
        match PresentedKey::read(app, headers).await {
            Ok(key) => key.record_use(app).await.map(|channel_use| channel_use.channel_id),
            Err(refusal) => Err(refusal),
        }
    } else {
        session::find(app, headers).await.map(|session| session.channel_id)
    };
    match channel {
        Err(refusal) if is_unidentified(refusal.code) => Ok(None),
        channel => channel.map(Some),
    }
}

fn is_no_moderator(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::AdminTokenInvalid | ErrorCode::TokenRoleMissing)
}

fn is_unidentified(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::ApiKeyInvalid | ErrorCode::SessionRequired | ErrorCode::ChannelSuspended)
}
