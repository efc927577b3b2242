//! The runtime's rate limits, which are counted near the client. A request that exceeds one costs no query.

use super::promise::{js_error, resolve};
use crate::platform::error::PlatformError;
use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use worker::Env;

/// The period of every limit, as configured in `wrangler.toml`.
pub(crate) const PERIOD_SECONDS: u64 = 10;

/// A limit of `wrangler.toml`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RateLimit {
    /// Requests of one API key, of all sessions of one account, or of one named token that this isolate has not
    /// recently seen to be valid.
    Key,
    /// Requests from one client's network with made-up tokens, or with API keys that this isolate has not recently seen
    /// to be valid.
    Address,
}

impl RateLimit {
    const fn binding(self) -> &'static str {
        match self {
            Self::Key => "KEY_RATE",
            Self::Address => "ADDRESS_RATE",
        }
    }

    /// Counts a request, and returns whether it is within the limit. Returns true if the limit is not bound or cannot
    /// be read, because a limit that fails must not make the service unavailable.
    pub(crate) async fn count(self, env: &Env, subject: &str) -> bool {
        let binding = self.binding();
        let bound = Reflect::get(env.as_ref(), &JsValue::from_str(binding)).unwrap_or_default();
        if bound.is_undefined() {
            return true;
        }
        limit(&bound.unchecked_into(), subject).await.unwrap_or_else(|error| {
            tracing::warn!(binding, %error, "a request could not be counted");
            true
        })
    }
}

#[wasm_bindgen]
extern "C" {
    type Limiter;
    #[wasm_bindgen(method, catch)]
    fn limit(this: &Limiter, options: &Object) -> Result<Promise, JsValue>;
}

async fn limit(limiter: &Limiter, subject: &str) -> Result<bool, PlatformError> {
    let options = Object::new();
    let named = |name| JsValue::from_str(name);
    Reflect::set(&options, &named("key"), &named(subject)).map_err(js_error)?;
    let outcome = resolve(limiter.limit(&options)).await?;
    let success = Reflect::get(&outcome, &named("success")).map_err(js_error)?;
    Ok(success.as_bool().unwrap_or(true))
}
