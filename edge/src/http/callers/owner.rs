//! The owner of a channel: a program with an API key, or a user who is signed in to the site.
//!
//! One handler serves both. A request with the header `Authorization` is a program's; one with a session's cookie, or
//! from a page of the site, is a user's. The user's page gets the protection of key management, except that it may also
//! send a form, if the browser states that the page is the site's own.

use super::api_key::{self, PresentedKey, key_invalid, require_active};
use super::session::{SignedInUser, is_of_page};
use super::{Caller, Credential, Requirement};
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::query::require_known;
use crate::people::keys::key_store::ChannelUse;
use crate::people::owner::{self, Owner, SignedBy};
use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use contract::ErrorCode;
use worker::send::SendFuture;

const REQUIRES: Requirement = Requirement::OneOf(&[Credential::ApiKey, Credential::Session]);

/// The owner of a channel, and how the request was signed. If it has a key, its use has been counted.
pub(crate) struct ChannelOwner(pub ChannelUse, pub SignedBy);

/// A response to the owner of a channel, with headers that state the daily limit.
pub(crate) type OwnerResponse<T> = Result<(HeaderMap, Json<T>), Refusal>;

/// A user with a valid session, or a program with a well-formed API key that is within its request rate. The key may
/// still be unknown or deleted: the handler's first query counts its use and checks that it is valid.
pub(crate) struct PresentedOwner(Owner);

impl Caller for ChannelOwner {
    const REQUIRES: Requirement = REQUIRES;
}

impl Caller for PresentedOwner {
    const REQUIRES: Requirement = REQUIRES;
}

impl FromRequestParts<()> for ChannelOwner {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        SendFuture::new(async {
            let app = App::of(parts)?;
            let owner = PresentedOwner::read(&app, parts).await?.identify(&app).await?;
            // No route with this caller has parameters.
            owner.with_usage(&app, require_known(app.unknown_fields(), &parts.uri, &[]))?;
            Ok(owner)
        })
        .await
    }
}

impl FromRequestParts<()> for PresentedOwner {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        SendFuture::new(async { Self::read(&App::of(parts)?, parts).await }).await
    }
}

impl ChannelOwner {
    /// Returns the body with headers that state the daily limit.
    pub(crate) fn answer<T>(&self, app: &App, body: T) -> (HeaderMap, Json<T>) {
        let mut headers = HeaderMap::new();
        self.0.usage.add_headers(app.now(), &mut headers);
        (headers, Json(body))
    }

    /// Returns the response to a request with this outcome, with the same headers.
    pub(crate) fn respond<T>(&self, app: &App, outcome: Result<T, Refusal>) -> OwnerResponse<T> {
        self.with_usage(app, outcome).map(|body| self.answer(app, body))
    }

    /// Adds the state of the daily limit to a refusal.
    fn with_usage<T>(&self, app: &App, outcome: Result<T, Refusal>) -> Result<T, Refusal> {
        outcome.map_err(|refusal| refusal.with_usage(self.0.usage, app.now()))
    }
}

impl PresentedOwner {
    async fn read(app: &App, parts: &Parts) -> Result<Self, Refusal> {
        if is_of_page(&parts.headers) {
            let SignedInUser(session) = SignedInUser::read(app, parts, true).await?;
            return Ok(Self(Owner::User(session.channel_id)));
        }
        PresentedKey::read(app, &parts.headers).await.map(|key| Self(Owner::Key(key.into_hash())))
    }

    pub(crate) fn owner(&self) -> &Owner {
        &self.0
    }

    /// Notes the channel of a valid key, and returns 403 `channel_suspended` if the channel is suspended.
    pub(crate) fn accept(&self, app: &App, channel_use: ChannelUse) -> Result<ChannelUse, Refusal> {
        match &self.0 {
            Owner::Key(_) => api_key::accept(app, channel_use),
            Owner::User(_) => require_active(channel_use),
        }
    }

    /// Returns the refusal for an invalid key, or for a session whose account was erased.
    pub(crate) fn unknown(&self) -> Refusal {
        match &self.0 {
            Owner::Key(_) => key_invalid(),
            Owner::User(_) => Refusal::new(ErrorCode::SessionRequired),
        }
    }

    /// Returns a refusal unless the key is still valid, or the account still exists. Does not count as a use.
    pub(crate) async fn require_valid(&self, app: &App) -> Result<(), Refusal> {
        match &self.0 {
            Owner::Key(hash) => PresentedKey::of(hash.clone()).require_valid(app).await,
            Owner::User(_) => self.record_use(app).await.map(drop),
        }
    }

    /// Counts a use of the key and returns the owner, or returns 401 or 403.
    pub(crate) async fn identify(&self, app: &App) -> Result<ChannelOwner, Refusal> {
        Ok(ChannelOwner(self.record_use(app).await?, self.0.signed_by()))
    }

    /// Counts a use of the key and returns the channel, or returns 401 or 403.
    pub(crate) async fn record_use(&self, app: &App) -> Result<ChannelUse, Refusal> {
        match &self.0 {
            Owner::Key(hash) => PresentedKey::of(hash.clone()).record_use(app).await,
            Owner::User(channel_id) => {
                let found = owner::find_user(&app.database()?, *channel_id, app.now()).await?;
                found.ok_or_else(|| self.unknown()).and_then(require_active)
            }
        }
    }

    /// Returns the refusal for a valid owner, whose use of the key is counted; for any other caller, 401.
    pub(crate) async fn refuse(&self, app: &App, refusal: Refusal) -> Refusal {
        match self.record_use(app).await {
            Ok(channel_use) => refusal.with_usage(channel_use.usage, app.now()),
            Err(invalid) => invalid,
        }
    }
}
