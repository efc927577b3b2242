//! Sessions in KV, under the hash of their token, with an expiry of their own.
//!
//! KV is good enough for them: a session ended here may live up to a minute longer elsewhere. It never says
//! anything of a key.

use crate::error::ApiError;
use crate::session::{Session, SessionToken};
use worker::{Env, KvStore};

pub struct SessionStore(KvStore);

impl SessionStore {
    pub fn open(env: &Env) -> Result<Self, ApiError> {
        env.kv("SESSIONS").map(Self).map_err(ApiError::from)
    }

    pub async fn find(&self, token: &SessionToken) -> Result<Option<Session>, ApiError> {
        Ok(self.0.get(&token.store_key()).json().await?)
    }

    pub async fn keep(
        &self,
        token: &SessionToken,
        session: &Session,
        ttl_seconds: u32,
    ) -> Result<(), ApiError> {
        let entry = self
            .0
            .put(&token.store_key(), serde_json::to_string(session)?)?;
        Ok(entry
            .expiration_ttl(u64::from(ttl_seconds))
            .execute()
            .await?)
    }

    pub async fn forget(&self, token: &SessionToken) -> Result<(), ApiError> {
        Ok(self.0.delete(&token.store_key()).await?)
    }
}
