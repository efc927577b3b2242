//! The cache in front of the Worker, and work after the response. `edge/cache.js` calls the platform.

use super::promise::resolve;
use crate::platform::edge_cache::EdgeCache;
use crate::platform::error::PlatformError;
use futures_channel::oneshot;
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

/// Runs a future after the response. The platform gives it up to 30 seconds.
pub(crate) fn run_after_answer(work: impl Future<Output = ()> + 'static) {
    wait_until(&future_to_promise(AssertUnwindSafe(async {
        work.await;
        Ok(JsValue::UNDEFINED)
    })));
}

/// Runs a future, and returns what it returns. If the client disconnects meanwhile, the future goes on, for up to 30
/// seconds; otherwise, the platform would drop it.
pub(crate) async fn run_to_end<T: 'static>(work: impl Future<Output = T> + 'static) -> Result<T, PlatformError> {
    let (sender, receiver) = oneshot::channel();
    run_after_answer(async move {
        // Without a client, nobody waits for the result.
        let _ = sender.send(work.await);
    });
    receiver.await.map_err(|_| PlatformError::Failed("the work ended without a result".to_owned()))
}
