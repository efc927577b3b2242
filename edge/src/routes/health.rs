//! `GET /healthz`.

use axum::Json;
use contract::api::Health;

/// Says that the Worker lives, and which one it is. Touches no store: it must answer when they do not.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/healthz", tag = "service",
    responses((status = 200, description = "The Worker lives.", body = Health))
))]
pub async fn get_health() -> Json<Health> {
    Json(Health {
        success: true,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}
