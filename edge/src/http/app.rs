//! The context of a handler: stores, clock, randomness, configuration and secrets.

use super::host_role::{HostRoles, PublicAddresses};
use crate::auth::hash::Pepper;
use crate::auth::origin_signature::OriginKeyRoots;
use crate::bindings::cost::Cost;
use crate::bindings::d1::D1;
use crate::bindings::edge_platform::EdgePlatform;
use crate::bindings::r2::R2;
use crate::bindings::random::PlatformEntropy;
use crate::bindings::rate_limit::RateLimit;
use crate::bindings::sessions::SessionStore;
use crate::compaction::DEFAULT_COMPACT_DAYS;
use crate::intake::pace::PaceRules;
use crate::moderation::evidence::DEFAULT_EVIDENCE_DAYS;
use crate::moderation::review_address::{REVIEW_SECONDS, ReviewAddresses};
use crate::ports::database::tries::DEFAULT_DEADLINE;
use crate::ports::place::Place;
use crate::refusal::Refusal;
use crate::unix_seconds::UnixSeconds;
use crate::unknown_fields::UnknownFields;
use crate::webhooks::{AddressRules, RootSecret, WebhookSettings};
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Response, StatusCode};
use contract::limits::{
    DEFAULT_MAX_FILE_BYTES, DEFAULT_MAX_OPEN_UPLOADS, MAX_UPLOAD_SECONDS, MIN_UPLOAD_BYTES_PER_SECOND,
    UPLOAD_PACE_SECONDS,
};
use contract::{ErrorCode, TraceContext};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use worker::{Date, Env};

const MIN_SECRET_CHARACTERS: usize = 32;
/// A hundred years. The times of the database stay far below 2^53.
const MAX_EVIDENCE_DAYS: u64 = 36_500;

#[derive(Clone)]
pub(crate) struct App {
    env: Env,
    settings: Arc<Settings>,
    /// The request's host, with its port.
    host: String,
    /// The route and the network of the request, for the trail.
    place: Place,
    cost: Cost,
    trace: TraceContext,
    unknown_fields: UnknownFields,
}

/// The parts of a request that handlers get from the App.
pub(crate) struct RequestFacts {
    /// The host, with its port.
    pub host: String,
    pub place: Place,
    pub cost: Cost,
    pub trace: TraceContext,
    pub unknown_fields: UnknownFields,
}

/// The validated configuration.
#[derive(Debug)]
struct Settings {
    addresses: PublicAddresses,
    max_upload_bytes: u64,
    upload_pace: PaceRules,
    max_open_uploads: u32,
    is_behind_cache: bool,
    is_closed: bool,
    requires_classifier: bool,
    evidence_seconds: u64,
    compact_seconds: u64,
    database_deadline: Duration,
    address_rules: AddressRules,
    pepper: Pepper,
}

impl App {
    pub(crate) fn new(env: Env, facts: RequestFacts) -> Result<Self, Refusal> {
        let var = |name| env.var(name).map(|value| value.to_string()).map_err(|_| missing(name));
        let addresses = PublicAddresses { base: var("BASE_URL")?, upload: var("UPLOAD_URL")?, site: var("SITE_URL")? };
        let pepper = read_pepper(&env)?;
        let max_upload_bytes = number(&env, "MAX_UPLOAD_BYTES", DEFAULT_MAX_FILE_BYTES)?;
        let max_open_uploads = number(&env, "MAX_OPEN_UPLOADS", DEFAULT_MAX_OPEN_UPLOADS)?;
        let upload_pace = PaceRules {
            min_bytes_per_second: number(&env, "UPLOAD_MIN_BYTES_PER_SECOND", MIN_UPLOAD_BYTES_PER_SECOND)?,
            window_seconds: number(&env, "UPLOAD_PACE_SECONDS", UPLOAD_PACE_SECONDS)?,
            max_seconds: number(&env, "UPLOAD_MAX_SECONDS", MAX_UPLOAD_SECONDS)?,
        };
        if !upload_pace.ends_before_lease() {
            return Err(Refusal::internal("the variable UPLOAD_PACE_SECONDS is too large"));
        }
        let is_behind_cache = env.var("CACHE_IN_FRONT").is_ok_and(|value| value.to_string() == "true");
        // `CLOSED` is a secret and not a variable: a deployment replaces the variables, which would open the service.
        let is_closed = env.secret("CLOSED").is_ok_and(|value| value.to_string() == "true");
        let requires_classifier = env.var("REQUIRE_CLASSIFIER").is_ok_and(|value| value.to_string() == "true");
        let allows_loopback = env.var("WEBHOOK_LOOPBACK").is_ok_and(|value| value.to_string() == "true");
        let address_rules = AddressRules { allows_loopback, own_hosts: addresses.hosts() };
        let evidence_seconds =
            number::<u64>(&env, "EVIDENCE_DAYS", DEFAULT_EVIDENCE_DAYS)?.min(MAX_EVIDENCE_DAYS) * 86_400;
        let compact_seconds =
            number::<u64>(&env, "COMPACT_DAYS", DEFAULT_COMPACT_DAYS)?.clamp(1, MAX_EVIDENCE_DAYS) * 86_400;
        let settings = Settings {
            addresses,
            max_upload_bytes,
            upload_pace,
            max_open_uploads,
            is_behind_cache,
            is_closed,
            requires_classifier,
            evidence_seconds,
            compact_seconds,
            database_deadline: database_deadline(&env)?,
            address_rules,
            pepper,
        };
        let RequestFacts { host, place, cost, trace, unknown_fields } = facts;
        Ok(Self { env, settings: Arc::new(settings), host, place, cost, trace, unknown_fields })
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

    /// Replaces the addresses in an OpenAPI document by those of this system.
    pub(crate) fn name_addresses(&self, document: &str) -> String {
        self.settings.addresses.name_in(document)
    }

    /// Returns the trace of the request, which the jobs that it makes belong to.
    pub(crate) fn trace(&self) -> TraceContext {
        self.trace
    }

    /// Returns how the request handles names that the API does not define.
    pub(crate) fn unknown_fields(&self) -> &UnknownFields {
        &self.unknown_fields
    }

    /// Returns a file of `edge/site/`.
    pub(crate) async fn asset(&self, path: &str) -> Result<Response<Body>, Refusal> {
        let asset = self.env.assets("ASSETS").map_err(Refusal::internal)?;
        // The binding ignores the host, but a URL needs one.
        let response = asset.fetch(format!("https://assets{path}"), None).await.map_err(Refusal::internal)?;
        // Anything else is a redirect to another spelling of the name, or a 404.
        if response.status() == StatusCode::OK {
            Ok(response.map(Body::new))
        } else {
            Err(Refusal::new(ErrorCode::NotFound))
        }
    }

    pub(crate) fn max_upload_bytes(&self) -> u64 {
        self.settings.max_upload_bytes
    }

    /// Returns the pace that an upload must keep.
    pub(crate) fn upload_pace(&self) -> PaceRules {
        self.settings.upload_pace
    }

    pub(crate) fn max_open_uploads(&self) -> u32 {
        self.settings.max_open_uploads
    }

    /// Whether a cache is in front of the Worker. It stores whole files, and is told by tags what to remove.
    pub(crate) fn is_behind_cache(&self) -> bool {
        self.settings.is_behind_cache
    }

    /// Whether the service is closed, as while its database is restored: it answers operators only.
    pub(crate) fn is_closed(&self) -> bool {
        self.settings.is_closed
    }

    pub(crate) fn pepper(&self) -> &Pepper {
        &self.settings.pepper
    }

    /// Returns a secret of sufficient length. An empty secret would match an empty token.
    pub(crate) fn strong_secret(&self, name: &'static str) -> Result<String, Refusal> {
        let secret = self.secret(name)?;
        if secret.len() < MIN_SECRET_CHARACTERS {
            let fault = format!("the secret {name} is shorter than {MIN_SECRET_CHARACTERS} characters");
            return Err(Refusal::internal(fault));
        }
        Ok(secret)
    }

    fn secret(&self, name: &'static str) -> Result<String, Refusal> {
        self.env.secret(name).map(|secret| secret.to_string()).map_err(|_| missing(name))
    }

    /// Returns the secrets that the keys of origins are derived from.
    pub(crate) fn origin_key_roots(&self) -> Result<OriginKeyRoots, Refusal> {
        let current = self.secret("ORIGIN_SECRET")?;
        // Set only while the secret is being replaced.
        let previous = self.env.secret("ORIGIN_SECRET_PREVIOUS").ok();
        let previous = previous.map(|secret| secret.to_string());
        OriginKeyRoots::new(&current, previous.as_deref())
            .ok_or_else(|| Refusal::internal("an origin secret is shorter than 32 characters"))
    }

    /// Returns the rules for the addresses of webhooks.
    pub(crate) fn address_rules(&self) -> &AddressRules {
        &self.settings.address_rules
    }

    /// Returns what requests to webhooks need.
    pub(crate) fn webhook_settings(&self) -> Result<WebhookSettings, Refusal> {
        let current = self.secret("WEBHOOK_SECRET")?;
        // Set only while the secret is being replaced. A secret that was removed is empty.
        let previous = self.env.secret("WEBHOOK_SECRET_PREVIOUS").ok().map(|secret| secret.to_string());
        let secrets = std::iter::once(current).chain(previous.filter(|secret| !secret.is_empty()));
        let roots: Option<Vec<_>> = secrets.map(|secret| RootSecret::new(&secret)).collect();
        let roots = roots.ok_or_else(|| Refusal::internal("a webhook secret is shorter than 32 characters"))?;
        Ok(WebhookSettings { roots, rules: self.settings.address_rules.clone() })
    }

    /// Whether publication requires a classifier's judgement.
    pub(crate) fn requires_classifier(&self) -> bool {
        self.settings.requires_classifier
    }

    /// Returns the maker of short-lived addresses at which moderators see videos.
    pub(crate) fn review_addresses(&self) -> ReviewAddresses<'_> {
        let Settings { addresses, pepper, .. } = &*self.settings;
        ReviewAddresses { base: addresses.base.trim_end_matches('/'), pepper, until: self.now() + REVIEW_SECONDS }
    }

    /// Returns the time for which the evidence of a removed content is kept after its owner deleted it.
    pub(crate) fn evidence_seconds(&self) -> u64 {
        self.settings.evidence_seconds
    }

    /// Returns the URL of the public website.
    pub(crate) fn site(&self) -> &str {
        &self.settings.addresses.site
    }

    /// Counts a request, and returns whether it is within the limit.
    pub(crate) async fn count(&self, limit: RateLimit, subject: &str) -> bool {
        limit.count(&self.env, subject).await
    }

    pub(crate) fn database(&self) -> Result<D1, Refusal> {
        D1::open(&self.env, self.cost.clone(), self.settings.database_deadline)
    }

    /// Returns the database for changes whose place the trail records.
    pub(crate) fn recording_database(&self) -> Result<D1, Refusal> {
        Ok(self.database()?.at(self.place.clone()))
    }

    /// Returns the size of the database as D1 last told this request.
    pub(crate) fn database_bytes(&self) -> Option<u64> {
        Some(self.cost.database_bytes()).filter(|bytes| *bytes > 0)
    }

    pub(crate) fn media(&self) -> R2 {
        R2::open(&self.env, self.cost.clone())
    }

    pub(crate) fn platform(&self) -> Result<EdgePlatform, Refusal> {
        let compact_seconds = self.settings.compact_seconds;
        let (cost, database) = (self.cost.clone(), self.database()?);
        Ok(EdgePlatform::open(&self.env, cost, database, self.is_behind_cache(), compact_seconds))
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

/// Returns the time that a batch may take, at least a second: with less, a busy database would fail every request.
fn database_deadline(env: &Env) -> Result<Duration, Refusal> {
    let seconds: u64 = number(env, "DATABASE_SECONDS", DEFAULT_DEADLINE.as_secs())?;
    Ok(Duration::from_secs(seconds.max(1)))
}

fn read_pepper(env: &Env) -> Result<Pepper, Refusal> {
    let short = |name| Refusal::internal(format!("the secret {name} is shorter than 32 characters"));
    let current = env.secret("KEY_PEPPER").map_err(|_| missing("KEY_PEPPER"))?;
    let pepper = Pepper::new(&current.to_string()).ok_or_else(|| short("KEY_PEPPER"))?;
    // Set only while the pepper is being replaced. A secret that was removed is empty.
    let second = env.secret("KEY_PEPPER_SECOND").ok().map(|secret| secret.to_string());
    match second.filter(|secret| !secret.is_empty()) {
        Some(second) => pepper.with_second(&second).ok_or_else(|| short("KEY_PEPPER_SECOND")),
        None => Ok(pepper),
    }
}

fn missing(name: &str) -> Refusal {
    Refusal::internal(format!("the binding {name} is not configured"))
}

/// Returns the number that a variable holds, or the default if it is not set.
fn number<N: FromStr>(env: &Env, name: &str, default: N) -> Result<N, Refusal> {
    let Ok(text) = env.var(name) else {
        return Ok(default);
    };
    let number = text.to_string().parse();
    number.map_err(|_| Refusal::internal(format!("the variable {name} is not a whole number within its range")))
}
