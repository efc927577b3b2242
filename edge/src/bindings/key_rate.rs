//! How often a key asks, counted by the runtime next to the client: no query is made for what asks too often.

use super::r2::settle;
use crate::hash::KeyedHash;
use crate::platform::PlatformError;
use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use worker::Env;

/// The period over which the runtime counts, as `wrangler.toml` says it.
pub const PERIOD_SECONDS: u64 = 10;

#[wasm_bindgen]
extern "C" {
    type Limiter;
    #[wasm_bindgen(method, catch)]
    fn limit(this: &Limiter, options: &Object) -> Result<Promise, JsValue>;
}

/// Whether the key may ask now. A counter that is not bound, or fails, refuses nobody: it protects us and not them.
pub async fn may_ask(env: &Env, key: &KeyedHash) -> bool {
    let bound = Reflect::get(env.as_ref(), &JsValue::from_str("KEY_RATE")).unwrap_or_default();
    if bound.is_undefined() {
        return true;
    }
    count(&bound.unchecked_into(), key)
        .await
        .unwrap_or_else(|error| {
            tracing::warn!(%error, "requests could not be counted");
            true
        })
}

async fn count(limiter: &Limiter, key: &KeyedHash) -> Result<bool, PlatformError> {
    let options = Object::new();
    let named = |name| JsValue::from_str(name);
    let unset = |error: JsValue| PlatformError(format!("{error:?}"));
    Reflect::set(&options, &named("key"), &named(key.as_str())).map_err(unset)?;
    let outcome = settle(limiter.limit(&options)).await?;
    let success = Reflect::get(&outcome, &named("success")).map_err(unset)?;
    Ok(success.as_bool().unwrap_or(true))
}
