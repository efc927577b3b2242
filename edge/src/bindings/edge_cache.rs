//! The cache in front of the Worker, and work after the answer. `edge/cache.js` calls the platform.

use super::promise::resolve;
use crate::ports::edge_cache::EdgeCache;
use crate::ports::error::PlatformError;
use js_sys::Promise;
use std::panic::AssertUnwindSafe;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::js_sys::futures::future_to_promise;

#[wasm_bindgen(raw_module = "./cache.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn purge(tags: &str, address: Option<&str>) -> Result<Promise, JsValue>;
    #[wasm_bindgen(js_name = waitUntil)]
    fn wait_until(promise: &Promise);
}

pub(crate) enum PlatformCache {
    /// No cache is in front of the Worker, so nothing has to be removed.
    None,
    Cloudflare,
    /// A cache on this machine, which takes purges at this address.
    Local(String),
}

impl PlatformCache {
    pub(crate) fn open(env: &Env, is_in_front: bool) -> Self {
        match env.var("CACHE_PURGE_URL") {
            _ if !is_in_front => Self::None,
            Ok(address) => Self::Local(address.to_string()),
            Err(_) => Self::Cloudflare,
        }
    }
}

impl EdgeCache for PlatformCache {
    async fn purge(&self, tags: &[&str]) -> Result<(), PlatformError> {
        let address = match self {
            Self::None => return Ok(()),
            Self::Cloudflare => None,
            Self::Local(address) => Some(address.as_str()),
        };
        resolve(purge(&tags.join(","), address)).await.map(drop)
    }
}

/// Runs something after the answer. The platform gives it up to 30 seconds.
pub(crate) fn run_after_answer(work: impl Future<Output = ()> + 'static) {
    wait_until(&future_to_promise(AssertUnwindSafe(async {
        work.await;
        Ok(JsValue::UNDEFINED)
    })));
}
