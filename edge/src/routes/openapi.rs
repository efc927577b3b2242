//! `GET /openapi.json`: the description of all this, a static file that passes through here for the headers that every
//! answer carries.

use crate::bindings::App;
use crate::error::ApiError;
use axum::Extension;
use axum::body::Body;
use axum::http::Response;

/// The API's description, as OpenAPI 3.1.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/openapi.json", tag = "service",
    responses((status = 200, description = "This document.", body = serde_json::Value))
))]
#[worker::send]
pub async fn get_openapi(Extension(app): Extension<App>) -> Result<Response<Body>, ApiError> {
    app.asset(contract::paths::OPENAPI).await
}
