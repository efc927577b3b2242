//! `GET /healthz`.

use crate::base::version::{COMMIT, VERSION};
use crate::http::callers::Anyone;
use axum::Json;
use contract::api::Health;

/// Reports that the Worker is running, with its version and commit.
///
/// Does not access the database or the storage, so it succeeds even if they are unavailable.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::HEALTH, tag = "service",
    responses((status = 200, description = "The Worker is running.", body = Health))
))]
pub(crate) async fn get_health(_: Anyone) -> Json<Health> {
    Json(Health { success: true, version: VERSION.to_owned(), commit: COMMIT.to_owned() })
}
