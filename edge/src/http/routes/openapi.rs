//! `GET /openapi.json`: the API's description, a static file in which the Worker replaces the addresses with its own.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::Anyone;
use axum::body::Body;
use axum::http::HeaderName;
use axum::http::header::CONTENT_TYPE;
use futures_util::StreamExt;

/// Returns this description of the API, as OpenAPI 3.1.
///
/// Routes below `/internal/` have a separate description.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::OPENAPI, tag = "service",
    responses((status = 200, description = "This document.", body = serde_json::Value))
))]
#[worker::send]
pub async fn get_openapi(app: App, _: Anyone) -> Result<([(HeaderName, &'static str); 1], Body), Refusal> {
    let mut chunks = app.asset(contract::paths::OPENAPI).await?.into_body().into_data_stream();
    let mut document = Vec::new();
    while let Some(chunk) = chunks.next().await {
        document.extend_from_slice(&chunk.map_err(Refusal::internal)?);
    }
    let document = app.settings().addresses.name_in(&String::from_utf8_lossy(&document));
    Ok(([(CONTENT_TYPE, "application/json")], Body::from(document)))
}
