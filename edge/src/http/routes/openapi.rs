//! `GET /openapi.json`: the API's description, a static file that goes through the Worker to get the headers that every
//! answer has.

use crate::http::App;
use crate::http::callers::Anyone;
use crate::refusal::Refusal;
use axum::body::Body;
use axum::http::Response;

/// Returns this description of the API, as OpenAPI 3.1.
///
/// It leaves out the routes below `/internal/`, which have their own description.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::OPENAPI, tag = "service",
    responses((status = 200, description = "This document.", body = serde_json::Value))
))]
#[worker::send]
pub async fn get_openapi(app: App, _: Anyone) -> Result<Response<Body>, Refusal> {
    app.asset(contract::paths::OPENAPI).await
}
