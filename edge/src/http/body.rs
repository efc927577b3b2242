//! Extractors for small JSON bodies.

use super::App;
use super::small_body::{self, SmallBody};
use crate::refusal::Refusal;
use axum::body::Body;
use axum::extract::FromRequest;
use axum::http::Request;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The longest list of categories stays below this limit, and no other body comes near it.
const BODY_LIMIT: usize = 256 * 1024;

/// A body that is a JSON object and nothing more. An empty body is an empty object. Anything else is
/// 400 `request_malformed`; 408 `request_timeout` and 503 `service_overloaded` as in `small_body`.
pub(super) struct JsonObject(Vec<u8>);

/// A body with the fields that a route expects, or 400 `request_malformed`. A duplicate field is refused, because two
/// readers could choose different values.
pub(super) struct JsonBody<T>(pub T);

impl FromRequest<()> for JsonObject {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, (): &()) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let SmallBody { bytes, .. } = small_body::read(&App::of(&parts)?, body, BODY_LIMIT).await?;
        if bytes.trim_ascii().is_empty() {
            return Ok(Self(b"{}".to_vec()));
        }
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(_)) => Ok(Self(bytes)),
            Ok(_) => Err(Refusal::malformed("The body is JSON, but not an object. Send an object.")),
            Err(error) => Err(Refusal::malformed(format!("The body is not JSON: {error}."))),
        }
    }
}

impl<T: DeserializeOwned> FromRequest<()> for JsonBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, state: &()) -> Result<Self, Refusal> {
        let JsonObject(bytes) = JsonObject::from_request(request, state).await?;
        let body = serde_json::from_slice(&bytes).map(Self);
        body.map_err(|error| Refusal::malformed(format!("The body does not match this endpoint: {error}.")))
    }
}
