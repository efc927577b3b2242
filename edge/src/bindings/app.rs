//! What a request has at hand: stores, clock, randomness, configuration and secrets.

use super::cost::Cost;
use super::d1::D1;
use super::edge_platform::EdgePlatform;
use super::key_rate;
use super::media::MediaStore;
use super::random::PlatformEntropy;
use super::sessions::SessionStore;
use crate::error::ApiError;
use crate::hash::{KeyedHash, Pepper};
use crate::origin_signature::OriginSecrets;
use crate::surface::{Addresses, Surfaces};
use axum::body::Body;
use axum::http::Response;
use contract::limits::DEFAULT_MAX_FILE_BYTES;
use std::sync::Arc;
use worker::{Date, Env};

const SECRET_CHARACTERS: usize = 32;

#[derive(Clone)]
pub struct App {
    env: Env,
    settings: Arc<Settings>,
    /// The host that was asked, with its port.
    host: String,
    cost: Cost,
}

/// What the environment says, checked.
#[derive(Debug)]
struct Settings {
    addresses: Addresses,
    max_upload_bytes: u64,
    pepper: Pepper,
}

impl App {
    pub fn new(env: Env, host: String, cost: Cost) -> Result<Self, ApiError> {
        let var = |name| {
            env.var(name)
                .map(|value| value.to_string())
                .map_err(|_| missing(name))
        };
        let addresses = Addresses {
            base: var("BASE_URL")?,
            upload: var("UPLOAD_URL")?,
            site: var("SITE_URL")?,
        };
        let pepper = env
            .secret("KEY_PEPPER")
            .map_err(|_| missing("KEY_PEPPER"))?;
        let pepper = Pepper::new(&pepper.to_string());
        let pepper = pepper.ok_or_else(|| {
            ApiError::internal("the secret KEY_PEPPER is shorter than 32 characters")
        })?;
        let max_upload_bytes = match env.var("MAX_UPLOAD_BYTES") {
            Ok(bytes) => bytes.to_string().parse(),
            Err(_) => Ok(DEFAULT_MAX_FILE_BYTES),
        };
        let max_upload_bytes = max_upload_bytes.map_err(|_| not_a_number("MAX_UPLOAD_BYTES"))?;
        let settings = Arc::new(Settings {
            addresses,
            max_upload_bytes,
            pepper,
        });
        Ok(Self {
            env,
            settings,
            host,
            cost,
        })
    }

    /// What the host that was asked shows.
    pub fn surfaces(&self) -> Surfaces {
        self.settings.addresses.surfaces_of(&self.host)
    }

    /// The origin of a page of the host that was asked.
    pub fn own_origin(&self) -> String {
        self.settings.addresses.origin_at(&self.host)
    }

    /// A file of `edge/site/`.
    pub async fn asset(&self, path: &str) -> Result<Response<Body>, ApiError> {
        let asset = self.env.assets("ASSETS").map_err(ApiError::internal)?;
        // The host means nothing here, but an address must have one.
        let found = asset
            .fetch(format!("https://assets{path}"), None)
            .await
            .map_err(ApiError::internal)?;
        Ok(found.map(Body::new))
    }

    pub fn max_upload_bytes(&self) -> u64 {
        self.settings.max_upload_bytes
    }

    pub fn pepper(&self) -> &Pepper {
        &self.settings.pepper
    }

    /// A secret that is long enough to be one: an empty one would let everybody in.
    pub fn strong_secret(&self, name: &'static str) -> Result<String, ApiError> {
        let secret = self.secret(name)?;
        if secret.len() < SECRET_CHARACTERS {
            let fault = format!("the secret {name} is shorter than {SECRET_CHARACTERS} characters");
            return Err(ApiError::internal(fault));
        }
        Ok(secret)
    }

    fn secret(&self, name: &'static str) -> Result<String, ApiError> {
        self.env
            .secret(name)
            .map(|secret| secret.to_string())
            .map_err(|_| missing(name))
    }

    /// What the origins sign with.
    pub fn origin_secrets(&self) -> Result<OriginSecrets, ApiError> {
        let current = self.secret("ORIGIN_SECRET")?;
        // Set only while the one before it is being replaced.
        let previous = self.env.secret("ORIGIN_SECRET_PREVIOUS").ok();
        let previous = previous.map(|secret| secret.to_string());
        OriginSecrets::new(&current, previous.as_deref()).ok_or_else(|| {
            ApiError::internal("a secret of the origins is shorter than 32 characters")
        })
    }

    /// The address of the public website.
    pub fn site(&self) -> &str {
        &self.settings.addresses.site
    }

    /// Whether the key may ask now, by how often it did in the last seconds.
    pub async fn may_ask(&self, key: &KeyedHash) -> bool {
        key_rate::may_ask(&self.env, key).await
    }

    pub fn database(&self) -> Result<D1, ApiError> {
        D1::open(&self.env, self.cost.clone())
    }

    pub fn media(&self) -> MediaStore {
        MediaStore::open(&self.env)
    }

    pub fn platform(&self) -> Result<EdgePlatform, ApiError> {
        EdgePlatform::open(self, &self.env, self.cost.clone())
    }

    pub fn sessions(&self) -> Result<SessionStore, ApiError> {
        SessionStore::open(&self.env)
    }

    #[expect(
        clippy::unused_self,
        reason = "the clock is something a request is given"
    )]
    pub fn now_ms(&self) -> u64 {
        Date::now().as_millis()
    }

    pub fn now_unix(&self) -> u64 {
        self.now_ms() / 1000
    }

    #[expect(
        clippy::unused_self,
        reason = "randomness is something a request is given"
    )]
    pub fn entropy(&self) -> PlatformEntropy {
        PlatformEntropy
    }
}

fn missing(name: &str) -> ApiError {
    ApiError::internal(format!("the binding {name} is not configured"))
}

fn not_a_number(name: &str) -> ApiError {
    ApiError::internal(format!("the variable {name} is not a whole number"))
}
