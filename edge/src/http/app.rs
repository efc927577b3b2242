//! The context of a handler: the request, stores, clock, randomness, settings and secrets.

use super::cross_origin::CrossOrigin;
use super::host_role::HostRoles;
use super::secrets::Secrets;
use super::settings::Settings;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::base::unknown_fields::UnknownFields;
use crate::http::session_store::SessionStore;
use crate::moderation::review_address::{REVIEW_SECONDS, ReviewAddresses};
use crate::people::failed_requests::KnownCaller;
use crate::platform::cloudflare::cost::Cost;
use crate::platform::cloudflare::d1::D1;
use crate::platform::cloudflare::edge_platform::EdgePlatform;
use crate::platform::cloudflare::r2::R2;
use crate::platform::cloudflare::random::PlatformEntropy;
use crate::platform::cloudflare::rate_limit::RateLimit;
use crate::platform::follow_ups::FollowUps;
use crate::platform::place::Place;
use crate::platform::signer::Signer;
use crate::webhooks::WebhookSettings;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Response, StatusCode};
use contract::{ErrorCode, TraceContext};
use std::sync::Arc;
use worker::{Date, Env};

#[derive(Clone)]
pub(crate) struct App {
    env: Env,
    settings: Arc<Settings>,
    /// The request's host, with its port.
    host: String,
    /// The route and the network of the request, for the trail.
    place: Place,
    /// The origin that signed the request, if one did.
    signer: Option<Signer>,
    follow_ups: FollowUps,
    cost: Cost,
    trace: TraceContext,
    unknown_fields: UnknownFields,
    cross_origin: CrossOrigin,
    known_caller: KnownCaller,
}

/// The parts of a request that handlers get from the App.
pub(crate) struct RequestFacts {
    /// The host, with its port.
    pub host: String,
    pub place: Place,
    pub cost: Cost,
    pub trace: TraceContext,
    pub unknown_fields: UnknownFields,
    pub cross_origin: CrossOrigin,
    pub known_caller: KnownCaller,
}

impl App {
    pub(crate) fn new(env: Env, facts: RequestFacts) -> Result<Self, Refusal> {
        let settings = Arc::new(Settings::read(&env)?);
        let RequestFacts { host, place, cost, trace, unknown_fields, cross_origin, known_caller } = facts;
        let (signer, follow_ups) = (None, FollowUps::default());
        Ok(Self {
            env,
            settings,
            host,
            place,
            signer,
            follow_ups,
            cost,
            trace,
            unknown_fields,
            cross_origin,
            known_caller,
        })
    }

    /// Returns the App of a request, which `entry` put into its extensions.
    pub(crate) fn of(parts: &Parts) -> Result<Self, Refusal> {
        let app = parts.extensions.get::<Self>();
        app.cloned().ok_or_else(|| Refusal::internal("the request has no App"))
    }

    /// Returns the parts of the API that the request's host serves.
    pub(crate) fn host_roles(&self) -> HostRoles {
        self.settings.addresses.roles_of(&self.host)
    }

    /// Returns the request's host in lower case, with its port.
    pub(crate) fn host(&self) -> String {
        self.host.to_ascii_lowercase()
    }

    /// Returns the web origin of the request's host.
    pub(crate) fn own_origin(&self) -> String {
        self.settings.addresses.origin_at(&self.host)
    }

    /// Returns the trace of the request, which its jobs belong to.
    pub(crate) fn trace(&self) -> TraceContext {
        self.trace
    }

    /// Returns how the request handles names that the API does not define.
    pub(crate) fn unknown_fields(&self) -> &UnknownFields {
        &self.unknown_fields
    }

    /// Returns the origin whose pages may read the response.
    pub(crate) fn cross_origin(&self) -> &CrossOrigin {
        &self.cross_origin
    }

    /// Returns where the channel of a valid key or one-time token is noted.
    pub(crate) fn known_caller(&self) -> &KnownCaller {
        &self.known_caller
    }

    /// Returns a file of `edge/site/`.
    pub(crate) async fn asset(&self, path: &str) -> Result<Response<Body>, Refusal> {
        let asset = self.env.assets("ASSETS").map_err(Refusal::internal)?;
        // The binding ignores the host, but a URL needs one.
        let response = asset.fetch(format!("https://assets{path}"), None).await.map_err(Refusal::internal)?;
        // Any other response is a redirect to another spelling of the name, or a 404.
        if response.status() == StatusCode::OK {
            Ok(response.map(Body::new))
        } else {
            Err(Refusal::new(ErrorCode::NotFound))
        }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the URL of the public website.
    pub(crate) fn site(&self) -> &str {
        &self.settings.addresses.site
    }

    pub(crate) fn secrets(&self) -> Secrets<'_> {
        Secrets(&self.env)
    }

    /// Returns what requests to webhooks need.
    pub(crate) fn webhook_settings(&self) -> Result<WebhookSettings, Refusal> {
        Ok(WebhookSettings { roots: self.secrets().webhook_roots()?, rules: self.settings.address_rules.clone() })
    }

    /// Returns the generator of short-lived addresses at which moderators see files. They end with the session.
    pub(crate) fn review_addresses(&self, session: Option<u64>) -> ReviewAddresses<'_> {
        let Settings { addresses, pepper, .. } = &*self.settings;
        let base = addresses.base.trim_end_matches('/');
        ReviewAddresses { base, pepper, until: self.now() + REVIEW_SECONDS, session }
    }

    /// Counts a request, and returns whether it is within the limit.
    pub(crate) async fn count(&self, limit: RateLimit, subject: &str) -> bool {
        limit.count(&self.env, subject).await
    }

    pub(crate) fn database(&self) -> Result<D1, Refusal> {
        let (cost, deadline) = (self.cost.clone(), self.settings.database_deadline);
        Ok(D1::open(&self.env, cost, deadline, self.follow_ups.clone())?.signed_by(self.signer.clone()))
    }

    /// Returns the database for changes whose place the trail records.
    pub(crate) fn recording_database(&self) -> Result<D1, Refusal> {
        Ok(self.database()?.at(self.place.clone()))
    }

    /// Returns the App for a request that an origin signed. Each batch of its database requires that the key is valid.
    pub(crate) fn signed_by(self, signer: Signer) -> Self {
        Self { signer: Some(signer), ..self }
    }

    /// Returns the work that this request's changes have left to do.
    pub(crate) fn follow_ups(&self) -> &FollowUps {
        &self.follow_ups
    }

    /// Returns the size of the database that D1 last reported to this request.
    pub(crate) fn database_bytes(&self) -> Option<u64> {
        Some(self.cost.database_bytes()).filter(|bytes| *bytes > 0)
    }

    pub(crate) fn media(&self) -> R2 {
        R2::open(&self.env, self.cost.clone())
    }

    pub(crate) fn platform(&self) -> Result<EdgePlatform, Refusal> {
        let (cost, database) = (self.cost.clone(), self.database()?);
        Ok(EdgePlatform::open(&self.env, cost, database, self.settings.is_behind_cache))
    }

    pub(crate) fn sessions(&self) -> Result<SessionStore, Refusal> {
        SessionStore::open(&self.env)
    }

    #[expect(clippy::unused_self, reason = "handlers get the clock from the App only")]
    pub(crate) fn now_ms(&self) -> u64 {
        Date::now().as_millis()
    }

    pub(crate) fn now(&self) -> UnixSeconds {
        UnixSeconds(self.now_ms() / 1000)
    }

    #[expect(clippy::unused_self, reason = "handlers get randomness from the App only")]
    pub(crate) fn entropy(&self) -> PlatformEntropy {
        PlatformEntropy
    }
}

impl FromRequestParts<()> for App {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        Self::of(parts)
    }
}
