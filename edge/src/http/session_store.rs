//! Sessions in KV, under the hash of their token, with an expiry.
//!
//! KV is consistent enough for sessions: a session that was ended may still be accepted in other locations for up to a
//! minute. API keys are never looked up in KV.

use crate::base::refusal::Refusal;
use crate::people::auth::session::{Session, SessionToken};
use crate::platform::error::PlatformError;
use worker::{Env, KvStore};

pub(crate) struct SessionStore(KvStore);

impl SessionStore {
    pub(crate) fn open(env: &Env) -> Result<Self, Refusal> {
        env.kv("SESSIONS").map(Self).map_err(Refusal::internal)
    }

    pub(crate) async fn find(&self, token: &SessionToken) -> Result<Option<Session>, Refusal> {
        self.0.get(&token.store_key()).json().await.map_err(Refusal::internal)
    }

    pub(crate) async fn store(&self, token: &SessionToken, session: &Session, ttl_seconds: u32) -> Result<(), Refusal> {
        let text = serde_json::to_string(session).map_err(Refusal::internal)?;
        let entry = self.0.put(&token.store_key(), text).map_err(Refusal::internal)?;
        entry.expiration_ttl(u64::from(ttl_seconds)).execute().await.map_err(Refusal::internal)
    }

    /// Reads a name that is never stored, only to see whether KV answers.
    pub(crate) async fn ping(&self) -> Result<(), PlatformError> {
        self.0.get("health").text().await.map(drop).map_err(|error| PlatformError::Failed(error.to_string()))
    }

    pub(crate) async fn delete(&self, token: &SessionToken) -> Result<(), Refusal> {
        self.0.delete(&token.store_key()).await.map_err(Refusal::internal)
    }
}
