//! A viewer, who may also be the owner of a content or a moderator.

use super::{Caller, Credential, KeyHolder, Moderator, Requirement, session};
use crate::http::App;
use crate::refusal::Refusal;
use crate::serving::access::Viewer;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use contract::ErrorCode;
use std::convert::Infallible;

/// Any caller, whose credential is looked at only if the file depends on it.
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
    /// Identifies a moderator, the holder of a valid key, or a signed-in user. Any other caller is anonymous, whatever
    /// is wrong with the credential.
    pub(crate) async fn identify(&self, app: &App) -> Result<Viewer, Refusal> {
        if Moderator::identify(app, &self.0).is_ok() {
            return Ok(Viewer::Moderator);
        }
        let channel = if self.0.contains_key(AUTHORIZATION) {
            KeyHolder::identify(app, &self.0).await.map(|KeyHolder(key_use)| key_use.channel_id)
        } else {
            session::find(app, &self.0).await.map(|session| session.channel_id)
        };
        match channel {
            Ok(channel_id) => Ok(Viewer::Channel(channel_id)),
            Err(refusal) if is_unidentified(refusal.code) => Ok(Viewer::Anonymous),
            Err(refusal) => Err(refusal),
        }
    }
}

fn is_unidentified(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::ApiKeyInvalid | ErrorCode::SessionRequired)
}
