//! A program with an API key.
//!
//! Missing, malformed, unknown and deleted keys all get the same answer: 401 `api_key_invalid`. A caller without a
//! valid key gets only this refusal, so nothing else can be learned without a key. The exception is an address that
//! sends too many keys that this isolate has not recently seen to be valid: it gets 429 `rate_limited` before any
//! query, even for a valid key.

use super::{Caller, Credential, Requirement};
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::people::auth::client_network::client_network;
use crate::people::auth::hash::KeyedHash;
use crate::people::auth::header::bearer_token;
use crate::people::keys::api_key::ApiKey;
use crate::people::keys::key_store::{self, ChannelUse, KeyChannel};
use crate::people::keys::recent_keys::RecentKeys;
use crate::people::keys::request_rate::{RequestRate, count_request};
use crate::platform::cloudflare::rate_limit::{PERIOD_SECONDS, RateLimit};
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use contract::ErrorCode;
use contract::api::PresentedCredential;
use worker::send::SendFuture;

static RECENT_KEYS: RecentKeys = RecentKeys::new();

/// A well-formed API key that is within its request rate. It may still be unknown or deleted: the handler's first query
/// counts its use and checks that it is valid.
pub(crate) struct PresentedKey(KeyedHash);

impl Caller for PresentedKey {
    const REQUIRES: Requirement = Requirement::Required(Credential::ApiKey);
}

impl FromRequestParts<()> for PresentedKey {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        SendFuture::new(async { Self::read(&App::of(parts)?, &parts.headers).await }).await
    }
}

impl PresentedKey {
    /// Checks form and checksum, then the request rates of the address and of the key. None of them costs a query. A
    /// key over its own rate is looked up, because 429 `rate_limited` would reveal that it is valid.
    pub(super) async fn read(app: &App, headers: &HeaderMap) -> Result<Self, Refusal> {
        let key = bearer_token(headers).and_then(ApiKey::parse).ok_or_else(key_invalid)?;
        let key = Self(key.hash(&app.settings().pepper));
        match key.count_request(app, headers).await {
            RequestRate::Within => Ok(key),
            RequestRate::AddressExceeded => Err(Refusal::new(ErrorCode::RateLimited).with_retry_after(PERIOD_SECONDS)),
            RequestRate::KeyExceeded => {
                key.require_valid(app).await?;
                Err(Refusal::burst_exceeded())
            }
        }
    }

    async fn count_request(&self, app: &App, headers: &HeaderMap) -> RequestRate {
        let network = client_network(headers);
        let is_recently_valid = RECENT_KEYS.contains(&self.0, app.now());
        let count_for_address = app.count(RateLimit::Address, &network);
        count_request(is_recently_valid, count_for_address, app.count(RateLimit::Key, self.0.as_str())).await
    }

    pub(super) const fn of(hash: KeyedHash) -> Self {
        Self(hash)
    }

    pub(crate) fn hash(&self) -> &KeyedHash {
        &self.0
    }

    pub(super) fn into_hash(self) -> KeyedHash {
        self.0
    }

    /// Returns 401 unless the key is valid, or 403 if its channel is suspended. Only reads, and does not count as a
    /// use.
    pub(crate) async fn require_valid(&self, app: &App) -> Result<(), Refusal> {
        let channel = key_store::find_channel(&app.database()?, &self.0).await?;
        let outcome = channel.ok_or_else(key_invalid).and_then(|KeyChannel { channel_id, is_suspended }| {
            app.known_caller().note(channel_id, PresentedCredential::ApiKey);
            if is_suspended { Err(suspended()) } else { Ok(()) }
        });
        self.note(app, outcome)
    }

    /// Counts a use of the key and returns its channel, or returns 401 or 403.
    pub(crate) async fn record_use(&self, app: &App) -> Result<ChannelUse, Refusal> {
        let channel_use = key_store::record_use(&app.database()?, &self.0, app.now()).await?;
        self.note(app, channel_use.ok_or_else(key_invalid).and_then(|channel_use| accept(app, channel_use)))
    }

    /// Notes whether the database has found the key valid, and returns the outcome unchanged. Every outcome except
    /// 401 `api_key_invalid` and a failure comes after the key was found.
    pub(crate) fn note<T>(&self, app: &App, outcome: Result<T, Refusal>) -> Result<T, Refusal> {
        match outcome.as_ref().err().map(|refusal| refusal.code) {
            Some(ErrorCode::ApiKeyInvalid) => RECENT_KEYS.remove(&self.0),
            Some(ErrorCode::InternalError) => {}
            _ => RECENT_KEYS.insert(&self.0, app.now()),
        }
        outcome
    }

    /// Returns the refusal for the holder of a valid key, whose use is counted; for any other caller, 401.
    pub(crate) async fn refuse(&self, app: &App, refusal: Refusal) -> Refusal {
        match self.record_use(app).await {
            Ok(channel_use) => refusal.with_usage(channel_use.usage, app.now()),
            Err(invalid) => invalid,
        }
    }
}

/// Notes the channel of a valid key, and returns 403 `channel_suspended` if it is suspended.
pub(super) fn accept(app: &App, channel_use: ChannelUse) -> Result<ChannelUse, Refusal> {
    app.known_caller().note(channel_use.channel_id, PresentedCredential::ApiKey);
    require_active(channel_use)
}

/// Returns 403 `channel_suspended` if the channel is suspended.
pub(super) fn require_active(channel_use: ChannelUse) -> Result<ChannelUse, Refusal> {
    (!channel_use.is_suspended).then_some(channel_use).ok_or_else(suspended)
}

fn suspended() -> Refusal {
    Refusal::new(ErrorCode::ChannelSuspended)
}

pub(crate) fn key_invalid() -> Refusal {
    Refusal::new(ErrorCode::ApiKeyInvalid)
}
