//! Extractors for small JSON bodies.

use super::App;
use super::known_fields::known_fields;
use super::small_body::{self, SmallBody};
use crate::base::refusal::Refusal;
use axum::body::Body;
use axum::extract::FromRequest;
use axum::http::Request;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The longest list of categories stays below this limit, and no other body comes near it.
const BODY_LIMIT: usize = 256 * 1024;

/// A body that is a JSON object with any members. An empty body is an empty object. Anything else is 400
/// `request_malformed`; 408 `request_timeout` and 503 `service_overloaded` as in `small_body`.
pub(super) struct JsonObject;

/// A body with the fields that a route expects, or 422 `field_unknown` or 400 `request_malformed`. A duplicate field is
/// refused, because two readers could choose different values.
pub(super) struct JsonBody<T>(pub T);

impl FromRequest<()> for JsonObject {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, (): &()) -> Result<Self, Refusal> {
        read_object(request, None).await.map(|_| Self)
    }
}

impl<T: DeserializeOwned> FromRequest<()> for JsonBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, (): &()) -> Result<Self, Refusal> {
        let bytes = read_object(request, Some(known_fields::<T>())).await?;
        let body = serde_json::from_slice(&bytes).map(Self);
        body.map_err(|error| Refusal::malformed(format!("The body does not match this endpoint: {error}.")))
    }
}

/// Reads an object. Refuses unknown members, unless the client prefers to have them ignored.
async fn read_object(request: Request<Body>, known: Option<&'static [&'static str]>) -> Result<Vec<u8>, Refusal> {
    let (parts, body) = request.into_parts();
    let app = App::of(&parts)?;
    let SmallBody { bytes, .. } = small_body::read(&app, body, BODY_LIMIT).await?;
    if bytes.trim_ascii().is_empty() {
        return Ok(b"{}".to_vec());
    }
    let members = match serde_json::from_slice(&bytes) {
        Ok(Value::Object(members)) => members,
        Ok(_) => return Err(Refusal::malformed("The body is JSON, but not an object. Send an object.")),
        Err(error) => return Err(Refusal::malformed(format!("The body is not JSON: {error}."))),
    };
    if let Some(known) = known {
        let mut unknown = members.keys().filter(|name| !known.contains(&name.as_str()));
        unknown.try_for_each(|name| app.unknown_fields().take_field(name, known))?;
    }
    Ok(bytes)
}
