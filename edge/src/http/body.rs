//! Extractors for small JSON bodies.

use super::App;
use super::named_values::{Kind, NamedValues, members, read};
use super::small_body::{self, SmallBody};
use crate::base::refusal::Refusal;
use axum::body::Body;
use axum::extract::FromRequest;
use axum::http::Request;
use axum::http::header::CONTENT_TYPE;
use contract::mistake::not_json;
use serde::de::DeserializeOwned;

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
        let body = WholeBody::receive(request).await?;
        body.members().map(|_| Self)
    }
}

impl<T: DeserializeOwned> FromRequest<()> for JsonBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, (): &()) -> Result<Self, Refusal> {
        let body = WholeBody::receive(request).await?;
        let members = body.members()?;
        read(&members, Kind::Members(body.app.unknown_fields())).map(Self)
    }
}

/// A body with what its explanation needs.
struct WholeBody {
    app: App,
    content_type: String,
    bytes: Vec<u8>,
}

impl WholeBody {
    async fn receive(request: Request<Body>) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let app = App::of(&parts)?;
        let content_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let SmallBody { bytes, .. } = small_body::read(&app, body, BODY_LIMIT).await?;
        Ok(Self { app, content_type: content_type.to_owned(), bytes })
    }

    /// Returns the members of the object. An empty body has none.
    fn members(&self) -> Result<NamedValues<'_>, Refusal> {
        if self.bytes.trim_ascii().is_empty() {
            return Ok(NamedValues::new());
        }
        members(&self.bytes).ok_or_else(|| Refusal::malformed(not_json(&self.content_type, &self.bytes)))
    }
}
