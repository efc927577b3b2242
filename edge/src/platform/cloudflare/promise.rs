//! Promises of the runtime, and its errors.

use crate::platform::error::PlatformError;
use js_sys::Promise;
use wasm_bindgen::JsValue;
use worker::js_sys::futures::JsFuture;
use worker::wasm_bindgen::JsCast;

/// Waits for the promise that a call returned.
pub(super) async fn resolve(promise: Result<Promise, JsValue>) -> Result<JsValue, PlatformError> {
    JsFuture::from(promise.map_err(js_error)?).await.map_err(js_error)
}

/// Returns the message of an `Error`, without its stack. Any other thrown value is formatted with Debug.
#[expect(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
pub(super) fn js_error(error: JsValue) -> PlatformError {
    let message = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    PlatformError::Failed(message.unwrap_or_else(|| format!("{error:?}")))
}
