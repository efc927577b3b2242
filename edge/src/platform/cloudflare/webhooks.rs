//! Requests to webhooks. `edge/webhook.js` sends them: the platform's `fetch` from Rust would make the Worker larger.

use super::promise::{js_error, resolve};
use crate::platform::error::PlatformError;
use crate::platform::webhook_client::{WebhookAnswer, WebhookClient, WebhookRequest};
use contract::limits::{MAX_WEBHOOK_ANSWER_BYTES, WEBHOOK_TIMEOUT_MS};
use js_sys::{Array, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(raw_module = "./webhook.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn post(url: &str, headers: &Array, body: &str, timeout_ms: u32, at_most: u32) -> Result<Promise, JsValue>;
}

pub(crate) struct PlatformWebhooks;

impl WebhookClient for PlatformWebhooks {
    async fn post(&self, request: &WebhookRequest) -> WebhookAnswer {
        send(request).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "a webhook could not be called");
            WebhookAnswer::failed("unreachable")
        })
    }
}

async fn send(request: &WebhookRequest) -> Result<WebhookAnswer, PlatformError> {
    let headers: Array =
        request.headers.iter().map(|(name, value)| Array::of2(&(*name).into(), &value.into())).collect();
    let sent = post(&request.url, &headers, &request.body, WEBHOOK_TIMEOUT_MS, MAX_WEBHOOK_ANSWER_BYTES);
    let answer = resolve(sent).await?.as_string().ok_or_else(|| js_error("the answer is not text".into()))?;
    let answer = serde_json::from_str(&answer).and_then(serde_json::from_value);
    answer.map_err(|error| PlatformError::Failed(error.to_string()))
}
